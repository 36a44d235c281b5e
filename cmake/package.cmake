# cpack: a Debian package with the program, the library with its headers, the examples, manual pages, completion in shells, and the
# Python module for Debian's Python where it is built (ESCAPEMENT_PYTHON). The version is the project's.
set(manual ${PROJECT_BINARY_DIR}/manual)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/escapement)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# the program writes what it knows of itself
install(CODE "
  file(MAKE_DIRECTORY ${manual})
  execute_process(COMMAND $<TARGET_FILE:escapement_cli> manual ${manual} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND $<TARGET_FILE:escapement_cli> completion bash OUTPUT_FILE ${manual}/escapement.bash COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND $<TARGET_FILE:escapement_cli> completion zsh OUTPUT_FILE ${manual}/_escapement COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${manual}/escapement.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME escapement)
install(FILES ${manual}/_escapement DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
if(ESCAPEMENT_PYTHON)
  set(modules lib/python3/dist-packages/escapement)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/escapement/ DESTINATION ${modules}
    FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  install(FILES $<TARGET_FILE:escapement_python> DESTINATION ${modules} OPTIONAL)  # built on demand
endif()

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tests are not packaged
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME escapement)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the authors of Escapement <escapement@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulates mechanisms whose motion is not smooth")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, libeigen3-dev, libyaml-cpp-dev, libpugixml-dev, libhdf5-dev, libfmt-dev, nlohmann-json3-dev, libspectra-dev, python3-matplotlib, python3-distributed, python3-mpi4py")
include(CPack)
