#include "engine/schedule/double_tree.hpp"

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// In the tree numbered in order from 1, a node's lowest bit that is set is its height: odd numbers
// are leaves, and a node of height h has its children h/2 away on both sides. Cut off above `size`,
// an absent node gives its place to its left child.

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
  if (const auto parent = parent_of(number, size)) {
    place.parent = position_of(tree, *parent, size);
  }
  for (const int child : children_of(number, size)) {
    place.children.push_back(position_of(tree, child, size));
  }
  return place;
}

}  // namespace ringcast
