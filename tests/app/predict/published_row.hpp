#pragma once

#include <string>

#include "app/predict/validate.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {

/// The only row of a published set.
inline ValidatedRow published_row(const std::string& set) {
  const TemporaryFolder folder;
  folder.write("set.yaml", set);
  return validate(read_published_sets({folder / "set.yaml"}), {}).sets.at(0).rows.at(0);
}

}  // namespace ringcast
