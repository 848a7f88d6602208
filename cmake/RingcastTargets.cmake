# One call per library, program and test; nothing else sets flags.

set(RINGCAST_WARNINGS
  -Wno-restrict  # false alarms of g++ 12 (its bug 105651)
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
  # A unity batch of tests has the globals of many files, which parameters may hide.
  $<IF:$<BOOL:$<TARGET_PROPERTY:RINGCAST_TESTS>>,-Wshadow=local,-Wshadow>
  -Wold-style-cast -Wnon-virtual-dtor
  $<$<BOOL:${RINGCAST_WERROR}>:-Werror>)
add_library(ringcast_warnings INTERFACE)
target_compile_options(ringcast_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${RINGCAST_WARNINGS}>")  # nvcc does not accept them

# ringcast_library(NAME [SOURCES files] [WITHOUT files] [PUBLIC libs] [PRIVATE libs]): the sources and
# headers of this folder, those in SOURCES only, or all but those in WITHOUT.
function(ringcast_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;WITHOUT;PUBLIC;PRIVATE")
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" *.cpp)
    list(REMOVE_ITEM arg_SOURCES "" ${arg_WITHOUT})
  endif()
  add_library(ringcast_${name} STATIC ${arg_SOURCES})
  add_library(ringcast::${name} ALIAS ringcast_${name})
  target_include_directories(ringcast_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_features(ringcast_${name} PUBLIC cxx_std_20)
  target_link_libraries(ringcast_${name} PUBLIC ${arg_PUBLIC} PRIVATE ringcast_warnings ${arg_PRIVATE})
endfunction()

add_custom_target(test_programs)  # builds all test programs

set(RINGCAST_TEST_OPTIONS "" CACHE STRING "compiler options of the tests alone")

# ringcast_tests(FOLDER LABEL label LIBRARIES libs [SOURCES files] [HELPERS files] [APART suites]):
# one program of FOLDER/**/*_test.cpp, or of SOURCES, and of HELPERS. Registers each test as
# FOLDER.Suite.Name, with one process for all values of its parameter; for suites that match the
# regular expression APART, each value has its own process.
function(ringcast_tests folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;NAME;APART" "LIBRARIES;SOURCES;HELPERS")
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
      ${folder}/*_test.cpp ${folder}/*/*_test.cpp)
  endif()
  get_filename_component(name "${folder}" NAME)
  if(arg_NAME)
    set(name "${arg_NAME}")
  endif()
  set(target ${name}_tests)
  add_executable(${target} ${arg_SOURCES} ${arg_HELPERS})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin" RINGCAST_TESTS TRUE)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE RINGCAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE ${RINGCAST_TEST_OPTIONS})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} nlohmann_json::nlohmann_json
    ringcast_warnings GTest::gtest_main)
  add_dependencies(test_programs ${target})
  set(tests "${CMAKE_CURRENT_BINARY_DIR}/${target}.cmake")
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS "${tests}" VERBATIM
    COMMAND "${CMAKE_COMMAND}" -D "PROGRAM=$<TARGET_FILE:${target}>" -D "PREFIX=${name}"
      -D "LABEL=${arg_LABEL}" -D "APART=${arg_APART}" -D "FILE=${tests}"
      -P "${PROJECT_SOURCE_DIR}/cmake/RegisterTests.cmake")
  # Until the program is built, its test fails.
  file(WRITE "${tests}.in" "if(EXISTS [[${tests}]])\n  include([[${tests}]])\nelse()\n"
    "  add_test(${name}_is_not_built ${target})\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${tests}.in")
endfunction()
