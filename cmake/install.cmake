# cmake --install: the program, the headers and a CMake package. find_package(Escapement) gives Escapement::escapement,
# which brings every layer.
include(CMakePackageConfigHelpers)

add_library(escapement INTERFACE)
target_link_libraries(escapement INTERFACE escapement_study)

set(layers math system model nonsmooth schemes simulate ensemble run io study)
list(TRANSFORM layers PREPEND escapement_ OUTPUT_VARIABLE libraries)
install(TARGETS escapement ${libraries} EXPORT EscapementTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS escapement_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(layer ${layers})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/escapement
    FILES_MATCHING PATTERN "*.hpp")
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Escapement)
install(EXPORT EscapementTargets NAMESPACE Escapement:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/EscapementConfig.cmake.in
  ${PROJECT_BINARY_DIR}/EscapementConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/EscapementConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/EscapementConfig.cmake ${PROJECT_BINARY_DIR}/EscapementConfigVersion.cmake
  DESTINATION ${package})
