# cpack: a Debian package with the program, the library, its headers, examples, manual page, completion and the Python module
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/escapement)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/escapement.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME escapement)
install(CODE "
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/packaging/manual.sh $<TARGET_FILE:escapement_cli> OUTPUT_VARIABLE manual COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/escapement.1\" \"\${manual}\")")
if(ESCAPEMENT_PYTHON)
  # Debian's Python looks here
  set(python_folder lib/python3/dist-packages/escapement)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/escapement/ DESTINATION ${python_folder}
    FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
  install(FILES $<TARGET_FILE:escapement_python> DESTINATION ${python_folder} OPTIONAL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME escapement)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulates mechanisms whose motion is not smooth")
set(CPACK_PACKAGE_CONTACT "the Escapement project")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy, libeigen3-dev, libfmt-dev, libyaml-cpp-dev, libpugixml-dev, nlohmann-json3-dev, libhdf5-dev")
include(CPack)
