# Python tests and transcripts. Prefers an interpreter with matplotlib; without it, the tests of
# pictures report Skipped.

find_program(RINGCAST_ANY_PYTHON python3 REQUIRED)
if(NOT RINGCAST_PYTHON)
  foreach(candidate IN ITEMS /usr/bin/python3 "${RINGCAST_ANY_PYTHON}")
    execute_process(COMMAND "${candidate}" -c "import matplotlib"
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(RINGCAST_PYTHON "${candidate}" CACHE FILEPATH "interpreter of the Python tests")
      break()
    endif()
  endforeach()
endif()
if(NOT RINGCAST_PYTHON)
  message(STATUS "no Python with matplotlib: the tests of the pictures will be skipped")
  set(RINGCAST_PYTHON "${RINGCAST_ANY_PYTHON}")
endif()

# ringcast_waits(test): a test that mostly waits, e.g. for a timeout. These begin first, so that
# none runs alone at the end, and one at a time, so that the cores are used by other tests.
function(ringcast_waits test)
  set_tests_properties(${test} PROPERTIES PROCESSORS 1 COST 1000 RESOURCE_LOCK waits)
endfunction()

# ringcast_python_test(folder/name.py): a unittest module of the repository, as python.name.
function(ringcast_python_test path)
  get_filename_component(name "${path}" NAME_WE)
  add_test(NAME python.${name} COMMAND "${RINGCAST_PYTHON}" "${PROJECT_SOURCE_DIR}/${path}" -v)
  # Printed only by a module whose tests are all skipped.
  set_tests_properties(python.${name} PROPERTIES LABELS python TIMEOUT 300
    ENVIRONMENT "MPLBACKEND=Agg;PYTHONDONTWRITEBYTECODE=1"
    SKIP_REGULAR_EXPRESSION "no matplotlib")
endfunction()

# ringcast_mpi_python_test(folder/name.py [waits]): the same for one that starts ranks of the built
# programs; with `waits` for one that mostly waits.
function(ringcast_mpi_python_test path)
  ringcast_python_test("${path}")
  get_filename_component(name "${path}" NAME_WE)
  set_tests_properties(python.${name} PROPERTIES LABELS mpi PROCESSORS 2
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;RINGCAST_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    SKIP_REGULAR_EXPRESSION "no MPI here")
  if(ARGN STREQUAL waits)
    ringcast_waits(python.${name})
  endif()
endfunction()

# ringcast_golden(name): runs the transcript tests/golden/name.golden, as golden.name.
function(ringcast_golden name)
  add_test(NAME golden.${name} COMMAND "${RINGCAST_PYTHON}"
    "${PROJECT_SOURCE_DIR}/tests/golden/run_golden.py"
    "${PROJECT_SOURCE_DIR}/tests/golden/${name}.golden" --bin "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  set_tests_properties(golden.${name} PROPERTIES LABELS golden TIMEOUT 900
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")
endfunction()

# ringcast_fabric_test(name): the unittest module tests/fabric/name.py, as fabric.name. Needs root,
# namespaces and tc, else it reports Skipped.
function(ringcast_fabric_test name)
  add_test(NAME fabric.${name} COMMAND "${RINGCAST_PYTHON}"
    "${PROJECT_SOURCE_DIR}/tests/fabric/${name}.py" -v)
  set_tests_properties(fabric.${name} PROPERTIES LABELS fabric TIMEOUT 300
    ENVIRONMENT "RINGCAST_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};PYTHONDONTWRITEBYTECODE=1"
    SKIP_REGULAR_EXPRESSION "no emulated fabric")
  ringcast_waits(fabric.${name})
endfunction()

# ringcast_mpi_golden(name): the same for a transcript that starts ranks; Skipped without MPI.
function(ringcast_mpi_golden name)
  if(MPI_C_FOUND)
    ringcast_golden(${name})
  else()
    add_test(NAME golden.${name} COMMAND "${CMAKE_COMMAND}" -E echo "no MPI here")
    set_tests_properties(golden.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "no MPI here")
  endif()
  set_tests_properties(golden.${name} PROPERTIES LABELS mpi PROCESSORS 2)
endfunction()
