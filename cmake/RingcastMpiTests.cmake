# Tests that run under mpirun. In builds without MPI they are registered, too, and report Skipped.

# With more ranks than cores, each message would cost a time slice unless waiting ranks yield.
set(RINGCAST_MPIRUN "${MPIEXEC_EXECUTABLE}" --oversubscribe --allow-run-as-root --bind-to none
  --mca mpi_yield_when_idle 1)

# ringcast_mpi_test(folder/name_test RANKS n LIBRARIES libs [SOURCES files] [LABEL gpu] SUITES ...):
# builds tests/folder/name_test.cpp, whose every process runs all cases, and registers each suite as
# folder.name.Suite, one start of mpirun on n processes.
function(ringcast_mpi_test path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS;LABEL" "LIBRARIES;SOURCES;SUITES")
  if(NOT arg_LABEL)
    set(arg_LABEL mpi)
  endif()
  string(REPLACE "/" "." name "${path}")
  string(REPLACE "/" "_" target "${path}")
  add_executable(${target} ${path}.cpp real/mpi/mpi_test_world.cpp ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} ringcast::real ringcast_warnings
    GTest::gtest)
  foreach(suite IN LISTS arg_SUITES)
    ringcast_mpirun_test(${name}.${suite} RANKS ${arg_RANKS} LABEL ${arg_LABEL}
      COMMAND $<TARGET_FILE:${target}> --gtest_filter=${suite}.*:*/${suite}.*)
  endforeach()
endfunction()

# ringcast_mpi_program(folder/name LIBRARIES libs): a program that other tests start.
function(ringcast_mpi_program path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  get_filename_component(name "${path}" NAME)
  add_executable(${name} ${path}.cpp)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} ringcast_warnings)
endfunction()

# ringcast_mpi_script(folder/name program): tests/folder/name.py, which starts the program by mpirun.
function(ringcast_mpi_script path program)
  string(REPLACE "/" "." name "${path}")
  ringcast_mpi_command(${name} mpi "${RINGCAST_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/${path}.py"
    $<TARGET_FILE:${program}> ${RINGCAST_MPIRUN})
  ringcast_waits(${name})
endfunction()

# ringcast_mpirun_test(NAME RANKS n [LABEL gpu] COMMAND ...): one start of mpirun.
function(ringcast_mpirun_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS;LABEL" "COMMAND")
  if(NOT arg_LABEL)
    set(arg_LABEL mpi)
  endif()
  ringcast_mpi_command(${name} ${arg_LABEL} ${RINGCAST_MPIRUN} -n ${arg_RANKS} ${arg_COMMAND})
endfunction()

# A test that needs mpirun. These tests keep all cores busy, so they count as two.
function(ringcast_mpi_command name label)
  if(MPI_C_FOUND AND MPIEXEC_EXECUTABLE)
    add_test(NAME ${name} COMMAND ${ARGN})
  else()
    add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "Skipped: no mpirun in this build")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 300 PROCESSORS 2
    SKIP_REGULAR_EXPRESSION "Skipped: no (mpirun|GPU)")
endfunction()
