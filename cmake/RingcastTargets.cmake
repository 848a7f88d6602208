# One call per library, program and test; nothing else sets flags.

set(RINGCAST_WARNINGS
  -Wno-restrict  # false alarms of g++ 12 (its bug 105651)
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wnon-virtual-dtor
  $<$<BOOL:${RINGCAST_WERROR}>:-Werror>)
add_library(ringcast_warnings INTERFACE)
target_compile_options(ringcast_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${RINGCAST_WARNINGS}>")  # nvcc knows none of them

# ringcast_library(NAME HEADERS ... SOURCES ... [PUBLIC libs] [PRIVATE libs])
function(ringcast_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;SOURCES;PUBLIC;PRIVATE")
  add_library(ringcast_${name} STATIC ${arg_SOURCES})
  add_library(ringcast::${name} ALIAS ringcast_${name})
  target_sources(ringcast_${name} PUBLIC FILE_SET HEADERS
    BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${arg_HEADERS})
  target_compile_features(ringcast_${name} PUBLIC cxx_std_20)
  target_link_libraries(ringcast_${name} PUBLIC ${arg_PUBLIC} PRIVATE ringcast_warnings ${arg_PRIVATE})
endfunction()

# The C++ tests of one label, for builds that run no others.
foreach(label IN ITEMS unit sim mpi gpu)
  add_custom_target(tests_${label})
endforeach()

# ringcast_test(folder/name_test LIBRARIES libs LABELS label): builds tests/folder/name_test.cpp and
# registers every case as folder.Suite.Name, each in a process of its own (SimGrid needs that).
function(ringcast_test path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;LABELS;SOURCES")
  get_filename_component(folder "${path}" DIRECTORY)
  get_filename_component(name "${path}" NAME)
  set(target ${folder}_${name})
  add_executable(${target} ${path}.cpp ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE RINGCAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} ringcast_warnings GTest::gtest_main)
  foreach(label IN LISTS arg_LABELS)
    add_dependencies(tests_${label} ${target})
  endforeach()
  gtest_discover_tests(${target} TEST_PREFIX "${folder}." DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()
