# cmake --install BUILD --prefix PREFIX: the programs, their data files in share/ringcast (see
# app/common/data_file.hpp), man pages, bash completion.
set_target_properties(ringcast ringcast-mpi PROPERTIES
  INSTALL_RPATH_USE_LINK_PATH ON)  # MPI and CUDA may be outside the default folders
install(TARGETS ringcast ringcast-mpi RUNTIME DESTINATION bin)
install(DIRECTORY scenarios DESTINATION share/ringcast FILES_MATCHING
  PATTERN "*.yaml" PATTERN "README.md" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY analysis/ringcast_analysis DESTINATION share/ringcast/analysis FILES_MATCHING
  PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)

# Man pages and completion are generated from --help at installation.
find_program(RINGCAST_ANY_PYTHON python3)
if(RINGCAST_ANY_PYTHON)
  set(pages "${PROJECT_BINARY_DIR}/help_pages")
  install(CODE "execute_process(COMMAND \"${RINGCAST_ANY_PYTHON}\"
    \"${PROJECT_SOURCE_DIR}/cmake/help_pages.py\" \"$<TARGET_FILE:ringcast>\"
    \"${PROJECT_SOURCE_DIR}\" \"${pages}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY "${pages}/man1" DESTINATION share/man)
  install(DIRECTORY "${pages}/completions/" DESTINATION share/bash-completion/completions)
endif()
