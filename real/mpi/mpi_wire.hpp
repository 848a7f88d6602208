#pragma once

#include <memory>

#include "real/gpu/wire.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

/// A wire between the first `ranks` ranks of the world; null on the others. Collective over the
/// world. A send() is shorter than 2 GiB.
[[nodiscard]] std::unique_ptr<Wire> make_mpi_wire(MpiWorld& world, int ranks);

}  // namespace ringcast
