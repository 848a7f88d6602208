#pragma once

namespace ringcast {

/// Thrown from the calls of a rank that must end because another rank failed. Not derived from
/// std::exception, so that programs that catch those still end.
struct Stopped {};

}  // namespace ringcast
