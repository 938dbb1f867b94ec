# <cairn/version.h>: the version, and the commit where there is a git checkout. Made anew by each build, written only when
# it has changed, so a commit recompiles nothing but the few files that include it. Run with -P it writes the header.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(CAIRN_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
    set(CAIRN_VERSION_COMMAND "${CMAKE_COMMAND}" -D "VERSION=${PROJECT_VERSION}" -D "SOURCE=${PROJECT_SOURCE_DIR}"
        -D "OUTPUT=${CAIRN_GENERATED_DIR}/cairn/version.h" -P "${CMAKE_CURRENT_LIST_FILE}")
    execute_process(COMMAND ${CAIRN_VERSION_COMMAND} COMMAND_ERROR_IS_FATAL ANY)
    add_custom_target(cairn_version_header COMMAND ${CAIRN_VERSION_COMMAND}
        BYPRODUCTS "${CAIRN_GENERATED_DIR}/cairn/version.h" COMMENT "" VERBATIM)
    # An interface library's dependencies are followed by all that link it.
    add_dependencies(project_options cairn_version_header)
    target_include_directories(project_options INTERFACE "${CAIRN_GENERATED_DIR}")
    return()
endif()

set(described "")
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE}/.git")
    execute_process(COMMAND "${GIT}" -C "${SOURCE}" describe --always --dirty --abbrev=10 --exclude=*
        OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(described)
    set(full "${VERSION} (${described})")
else()
    set(full "${VERSION}")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#pragma once
// Made by packaging/cmake/CairnVersion.cmake; do not edit.

#define CAIRN_VERSION "@VERSION@"
// With the commit it was built from, where that was known: "@VERSION@ (1f2e3d4c5b)", "-dirty" with changes on top.
#define CAIRN_VERSION_FULL "@full@"
]])
