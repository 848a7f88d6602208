#pragma once

#include "tests/real/gpu/device_threads.hpp"
#include "tests/real/gpu/fake_device.hpp"

namespace ringcast::testing {

/// A job on fake devices, a thread for each rank, each with its own random numbers.
inline std::unique_ptr<DeviceThreads> fake_job(int ranks, Reduction reduction,
                                               const DeviceOptions& options,
                                               const DeviceThreads::Wiring& wiring) {
  return std::make_unique<DeviceThreads>(ranks, reduction, options, wiring, [](int rank) {
    return std::make_unique<FakeDevice>(static_cast<unsigned>(rank) + 1);
  });
}

inline BackendUnderTest fake_backend(const std::string& name, const DeviceOptions& options,
                                     const DeviceThreads::Wiring& wiring) {
  BackendUnderTest backend;
  backend.name = name;
  backend.make = [options, wiring](int ranks, Reduction reduction) {
    return fake_job(ranks, reduction, options, wiring);
  };
  return backend;
}

}  // namespace ringcast::testing
