#pragma once

#include <string_view>

namespace ringcast {

/// Throws TransportError "CALL: REASON" for a failure. `code`: a cudaError_t. For sources that are
/// built with CUDA only.
void check_cuda(int code, std::string_view call);

}  // namespace ringcast
