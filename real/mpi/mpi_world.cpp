#include "real/mpi/mpi_world.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include <mpi.h>

#include "real/mpi/mpi_native.hpp"

namespace ringcast {
namespace {

std::string name_of_this_host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

/// Numbers the distinct names in the order of their first occurrence.
std::vector<int> numbers_of(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  std::vector<int> numbers;
  numbers.reserve(names.size());
  for (const std::string& name : names) {
    const auto place = std::ranges::find(known, name);
    numbers.push_back(static_cast<int>(place - known.begin()));
    if (place == known.end()) {
      known.push_back(name);
    }
  }
  return numbers;
}

}  // namespace

MpiWorld::MpiWorld()
    : native_{std::make_unique<Native>()},
      rank_{native_->everyone.rank()},
      size_{native_->everyone.size()},
      hosts_{gather(name_of_this_host())},
      node_of_{numbers_of(hosts_)} {}

MpiWorld::~MpiWorld() {
  if (!native_->session.is_intact()) {
    native_->everyone.release();
  }
}

std::vector<std::string> MpiWorld::gather(const std::string& mine) {
  MPI_Comm everyone = native_->everyone.handle();
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size_));
  check_mpi(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, everyone),
            "MPI_Allgather");

  std::vector<int> begins(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  std::string all(
      static_cast<std::size_t>(begins.back()) + static_cast<std::size_t>(lengths.back()), '\0');
  check_mpi(MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(),
                           MPI_CHAR, everyone),
            "MPI_Allgatherv");

  std::vector<std::string> texts;
  texts.reserve(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

void MpiWorld::abort(int exit_code) noexcept {
  MPI_Abort(native_->everyone.handle(), exit_code);
  std::_Exit(exit_code);
}

}  // namespace ringcast
