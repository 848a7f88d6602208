#include "engine/schedule/double_tree.hpp"

#include <bit>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// A binary tree in order, numbered from 1; here with 7 nodes, and cut off to 6:
//
//         4                4         The lowest set bit of a number is its height: 1 for the odd
//       /   \            /   \       numbers, the leaves; 2 for 2 and 6; 4 for 4. The children of
//      2     6          2     6      a node of height h are h/2 away on both sides; its parent is
//     / \   / \        / \   /       the number with bit h cleared and bit 2h set. Cut off above
//    1   3 5   7      1   3 5        `size`, an absent node gives its place to its left child.
//
// The numbers below a left child are smaller than its parent's, so none of them is cut off: a node
// of height h has log2(h) levels below it, cut off or not.
//
// Even positions have odd numbers in the first tree: they are leaves. In the second tree odd
// positions are leaves: it is the mirror image of the first if the size is even, and the first
// shifted by one position if it is odd (the position that wraps around is a leaf in both).

int height_of(int number) {
  return number & -number;
}

std::optional<int> parent_of(int number, int size) {
  if (2 * height_of(number) > size) {
    return std::nullopt;
  }
  do {
    const int height = height_of(number);
    number = (number & ~height) | (2 * height);
  } while (number > size);
  return number;
}

std::vector<int> children_of(int number, int size) {
  std::vector<int> children;
  int away = height_of(number) / 2;
  if (away == 0) {
    return children;
  }
  children.push_back(number - away);
  int right = number + away;
  while (right > size && away > 1) {
    away /= 2;
    right -= away;
  }
  if (right <= size) {
    children.push_back(right);
  }
  return children;
}

int number_of(int tree, int position, int size) {
  if (tree == 0) {
    return position + 1;
  }
  return size % 2 == 0 ? size - position : (position + 1) % size + 1;
}

int position_of(int tree, int number, int size) {
  if (tree == 0) {
    return number - 1;
  }
  return size % 2 == 0 ? size - number : (number + size - 2) % size;
}

}  // namespace

TreePlace place_in_double_tree(int tree, int position, int size) {
  expect(tree == 0 || tree == 1, "tree {} of two", tree);
  expect(position >= 0 && position < size, "position {} of {}", position, size);
  const int number = number_of(tree, position, size);
  TreePlace place;
  place.height = std::countr_zero(static_cast<unsigned>(number));
  if (const auto parent = parent_of(number, size)) {
    place.parent = position_of(tree, *parent, size);
  }
  for (const int child : children_of(number, size)) {
    place.children.push_back(position_of(tree, child, size));
  }
  return place;
}

}  // namespace ringcast
