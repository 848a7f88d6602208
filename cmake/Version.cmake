# Run at build time: writes OUTPUT if the result of `git describe` has changed.
execute_process(
  COMMAND git describe --always --dirty --tags
  WORKING_DIRECTORY "${SOURCE_DIR}"
  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(described STREQUAL "")
  set(version "${PROJECT_VERSION}")
else()
  set(version "${PROJECT_VERSION}-${described}")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
namespace ringcast {
extern const char* const version_text;
const char* const version_text = "@version@";
}  // namespace ringcast
]])
