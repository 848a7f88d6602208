#pragma once

#include "real/mpi/mpi_transport.hpp"
#include "tests/backend_under_test.hpp"

/// MPI under test. Each process of the job runs all cases of the program, in the same order; a
/// failure in any of them is a failure in the first, which alone prints.
namespace ringcast::testing {

/// The job that this process belongs to.
[[nodiscard]] MpiWorld& world();

/// A backend whose every rank is a process of the job.
[[nodiscard]] BackendUnderTest process_backend(
    const std::string& name,
    const std::function<std::unique_ptr<Transport>(int ranks, Reduction)>& make);

/// MPI as a backend of the conformance suites; with a short timeout, since nothing there is slow.
[[nodiscard]] BackendUnderTest mpi_backend(const std::string& name, const MpiOptions& options);

}  // namespace ringcast::testing
