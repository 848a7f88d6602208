# Sets RINGCAST_HAS_CUDA if CUDA is wanted and found. Without CUDA the library has the same symbols,
# which throw BackendUnavailable. CUDACXX, CUDAHOSTCXX and CMAKE_CUDA_COMPILER have their usual
# meaning.
set(RINGCAST_CUDA AUTO CACHE STRING "measure on GPUs: ON, OFF, or AUTO (if nvcc is there)")
set_property(CACHE RINGCAST_CUDA PROPERTY STRINGS AUTO ON OFF)

set(RINGCAST_HAS_CUDA FALSE)
if(NOT RINGCAST_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  find_program(RINGCAST_NVCC nvcc PATHS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  if(RINGCAST_NVCC AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} "${RINGCAST_NVCC}")
  endif()
  if(NOT DEFINED ENV{CUDAHOSTCXX})
    set(ENV{CUDAHOSTCXX} "${CMAKE_CXX_COMPILER}")
  endif()
  check_language(CUDA)  # fails for an nvcc that cannot use this C++ compiler
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    # Binaries for V100 to H100, and PTX for newer GPUs. nvcc 13 does not support V100.
    set(architectures 75-real 80-real 90)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
      list(PREPEND architectures 70-real)
    endif()
    set(RINGCAST_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "as CMAKE_CUDA_ARCHITECTURES")
    find_package(CUDAToolkit REQUIRED)
    set(RINGCAST_HAS_CUDA TRUE)
    # NCCL is optional.
    find_path(RINGCAST_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    find_library(RINGCAST_NCCL_LIBRARY nccl HINTS "${CUDAToolkit_LIBRARY_DIR}")
    if(NOT RINGCAST_NCCL_INCLUDE)
      unset(RINGCAST_NCCL_LIBRARY CACHE)
    endif()
    if(CCACHE)
      set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE}")
    endif()
  elseif(RINGCAST_CUDA STREQUAL "ON")
    message(FATAL_ERROR
      "RINGCAST_CUDA is ON, but no nvcc was found that is 12 or newer and works with "
      "${CMAKE_CXX_COMPILER} (CUDACXX and CUDAHOSTCXX name others)")
  endif()
endif()
