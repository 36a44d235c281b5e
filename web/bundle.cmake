# Bundles the page of the reports into C++ text. Everything happens in the build tree: a copy of this folder, with the
# npm packages of the lock file beside it; what only tests need is left out.
find_program(NODE_PROGRAM NAMES node nodejs REQUIRED)
find_program(NPM_PROGRAM npm REQUIRED)
set(web_source ${CMAKE_CURRENT_LIST_DIR})
set(web_build ${PROJECT_BINARY_DIR}/web)
set(report_template_source ${web_build}/dist/report_template.cpp)
set(studio_page_source ${web_build}/dist/studio_page.cpp)

set(web_packages ${web_build}/node_modules/.package-lock.json)
add_custom_command(OUTPUT ${web_packages}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${web_build}
  COMMAND ${CMAKE_COMMAND} -E copy ${web_source}/package.json ${web_source}/package-lock.json ${web_source}/.npmrc ${web_build}
  COMMAND ${CMAKE_COMMAND} -E chdir ${web_build} ${NPM_PROGRAM} ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${web_packages}
  DEPENDS ${web_source}/package.json ${web_source}/package-lock.json ${web_source}/.npmrc
  COMMENT "Installing the npm packages of the report" VERBATIM)

file(GLOB web_files CONFIGURE_DEPENDS ${web_source}/src/* ${web_source}/build.mjs)
add_custom_command(OUTPUT ${report_template_source} ${studio_page_source}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${web_source}/src ${web_build}/src
  COMMAND ${CMAKE_COMMAND} -E copy ${web_source}/build.mjs ${web_build}
  COMMAND ${NODE_PROGRAM} ${web_build}/build.mjs ${web_build}/dist
  DEPENDS ${web_files} ${web_packages}
  COMMENT "Bundling the page of the report" VERBATIM)
