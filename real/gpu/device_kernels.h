#pragma once

#include <stddef.h>

/*
 * What the .cu files offer to C++ that nvcc does not compile. `type` and `operation` count
 * in the order of ElementType and Operation, `stream` is a cudaStream_t, `blocks` the most blocks
 * to launch. Launchers return a cudaError_t; they do not wait.
 */
#ifdef __cplusplus
extern "C" {
#endif

/* Load kernels. CUDA would otherwise load each at its first launch, and may then wait for
 * kernels that run: no overlap. Return a cudaError_t. */
int ringcast_load_reduction_kernels(void);
int ringcast_load_spin_kernel(void);
/* into[i] = into[i] (+) from[i]. Both begin at a multiple of the element size. */
int ringcast_launch_accumulate(int type, int operation, void* into, const void* from,
                               size_t elements, int blocks, void* stream);
/* into[i] = into[i] / ranks */
int ringcast_launch_divide(int type, void* into, size_t elements, int ranks, int blocks,
                           void* stream);
/* Passes so much time, or less when *stop is not 0. `stop` is host memory that the device reads. */
int ringcast_launch_spin(unsigned long long nanoseconds, const volatile int* stop, void* stream);

/* The same arithmetic in a loop on the host, for machines without a GPU. */
void ringcast_accumulate_on_host(int type, int operation, void* into, const void* from,
                                 size_t elements);
void ringcast_divide_on_host(int type, void* into, size_t elements, int ranks);

#ifdef __cplusplus
}
#endif
