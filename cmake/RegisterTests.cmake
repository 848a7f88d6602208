cmake_minimum_required(VERSION 3.25)

# Writes FILE, which registers each test of the GoogleTest program PROGRAM with ctest. A test has
# one process for all values of its parameter, because a program with sanitizers takes as long to
# start as most tests take. For suites that match APART, each value has its own process.
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests
  OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " *#[^\n]*" "" listing "${listing}")  # GoogleTest's comments on parameters
string(REPLACE "\n" ";" lines "${listing}")
set(filters "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+[.])$")
    set(suite "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^  (.+)")
    set(filter "${suite}${CMAKE_MATCH_1}")
    if(NOT APART OR NOT suite MATCHES "${APART}")
      string(REGEX REPLACE "[.]([^/]+)/.*" ".\\1/*" filter "${filter}")
    endif()
    list(APPEND filters "${filter}")
  endif()
endforeach()
list(REMOVE_DUPLICATES filters)

set(tests "")
foreach(filter IN LISTS filters)
  string(REPLACE "/*" "" name "${PREFIX}.${filter}")
  set(properties "LABELS ${LABEL} TIMEOUT 300")
  # Without this, a skipped value would hide the failure of another one.
  if(NOT filter MATCHES "/[*]$")
    string(APPEND properties " SKIP_REGULAR_EXPRESSION [=[\\[  SKIPPED \\]]=]")
  endif()
  string(APPEND tests "add_test([[${name}]] [[${PROGRAM}]] [[--gtest_filter=${filter}]])\n"
    "set_tests_properties([[${name}]] PROPERTIES ${properties})\n")
endforeach()
file(WRITE "${FILE}" "${tests}")
