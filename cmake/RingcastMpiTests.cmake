# Tests that run under mpirun. Without MPI in the build they are registered all the same, and report
# Skipped.

# More ranks than cores: without yielding, each message costs a time slice.
set(RINGCAST_MPIRUN "${MPIEXEC_EXECUTABLE}" --oversubscribe --allow-run-as-root --bind-to none
  --mca mpi_yield_when_idle 1)

# ringcast_mpi_test(folder/name_test RANKS n LIBRARIES libs [SOURCES files] SUITES suites): builds
# tests/folder/name_test.cpp, whose every process runs all cases, and registers each suite as
# folder.name.Suite, one start of mpirun on n processes.
function(ringcast_mpi_test path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS" "LIBRARIES;SOURCES;SUITES")
  get_filename_component(folder "${path}" DIRECTORY)
  get_filename_component(name "${path}" NAME)
  set(target ${folder}_${name})
  add_executable(${target} ${path}.cpp real/mpi_test_world.cpp ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} ringcast::real ringcast_warnings
    GTest::gtest)
  add_dependencies(tests_mpi ${target})
  foreach(suite IN LISTS arg_SUITES)
    ringcast_mpirun_test(${folder}.${name}.${suite} RANKS ${arg_RANKS}
      COMMAND $<TARGET_FILE:${target}> --gtest_filter=${suite}.*:*/${suite}.*)
  endforeach()
endfunction()

# ringcast_mpirun_test(NAME RANKS n COMMAND ...): one start of mpirun. These tests keep all cores
# busy, so that nothing else should run beside them.
function(ringcast_mpirun_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS" "COMMAND")
  if(MPI_C_FOUND AND MPIEXEC_EXECUTABLE)
    add_test(NAME ${name} COMMAND ${RINGCAST_MPIRUN} -n ${arg_RANKS} ${arg_COMMAND})
  else()
    add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "Skipped: no mpirun in this build")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS mpi TIMEOUT 300 RUN_SERIAL ON
    SKIP_REGULAR_EXPRESSION "Skipped: no mpirun")
endfunction()
