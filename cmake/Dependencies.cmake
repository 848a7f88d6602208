# Everything comes from Debian's packages; quickstart.sh installs them.
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context graph)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(CLI11 2 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(pugixml 1.13 REQUIRED)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)  # SHA-256 of the scenario, for provenance
find_package(SQLite3 3.37 REQUIRED)  # finished cells of interrupted runs

# SimGrid, hwloc and Clp have no CMake package in Debian.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid>=3.32)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.4)
pkg_check_modules(CLP REQUIRED IMPORTED_TARGET clp>=1.17)

if(RINGCAST_MPI STREQUAL "ON")
  find_package(MPI REQUIRED COMPONENTS C)
elseif(NOT RINGCAST_MPI STREQUAL "OFF")
  find_package(MPI COMPONENTS C)
endif()

if(NOT RINGCAST_TESTS STREQUAL "OFF")
  find_package(GTest 1.12 REQUIRED)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()
