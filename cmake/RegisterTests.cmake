cmake_minimum_required(VERSION 3.25)

# Writes FILE, which registers what PROGRAM lists with ctest: a test for each test of GoogleTest, which
# has one process for all values of its parameter, as a program with sanitizers takes as long to start
# as most tests do. Values of suites that APART matches have a process each.
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests
  OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " *#[^\n]*" "" listing "${listing}")  # remarks on parameters
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
  # One value that is skipped would hide another one's failure.
  if(NOT filter MATCHES "/[*]$")
    string(APPEND properties " SKIP_REGULAR_EXPRESSION [=[\\[  SKIPPED \\]]=]")
  endif()
  string(APPEND tests "add_test([[${name}]] [[${PROGRAM}]] [[--gtest_filter=${filter}]])\n"
    "set_tests_properties([[${name}]] PROPERTIES ${properties})\n")
endforeach()
file(WRITE "${FILE}" "${tests}")
