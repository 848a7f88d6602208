#pragma once

namespace ringcast {

/// Thrown out of the calls of a rank that has to end because another one failed. It is no
/// std::exception, so that a program that catches those does not go on.
struct Stopped {};

}  // namespace ringcast
