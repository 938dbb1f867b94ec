# Options, warnings and helpers that every target shares. Warnings live in one interface target.
option(CAIRN_GUI "Build the desktop console (needs Qt 6 Widgets and Svg, and QtKeychain)" ON)
option(CAIRN_TESTS "Build the tests (needs Qt 6 Test)" ON)
option(CAIRN_BENCH "Build the programs that print figures (tests/bench)" OFF)
option(CAIRN_WERROR "Treat warnings as errors" OFF)
set(CAIRN_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

find_program(CAIRN_CCACHE ccache)
if(CAIRN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${CAIRN_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CAIRN_CCACHE}")
endif()

add_library(project_options INTERFACE)
target_include_directories(project_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(project_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast)
if(CAIRN_WERROR)
    target_compile_options(project_options INTERFACE -Werror)
endif()
# GCC 12 warns falsely of overlapping copies in optimised "text" + string (its bug 105651, fixed in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
   AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(project_options INTERFACE -Wno-restrict)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_definitions(project_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(CAIRN_SANITIZE)
    target_compile_options(project_options INTERFACE -fsanitize=${CAIRN_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(project_options INTERFACE -fsanitize=${CAIRN_SANITIZE})
endif()

# Linking a hundred and more test programs takes a tenth of the time with mold, where it is installed.
find_program(CAIRN_MOLD mold)
if(CAIRN_MOLD AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    add_link_options(-fuse-ld=mold)
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)  # Ed25519, randomness
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)  # SHA-256; Debian: libssl-dev
pkg_check_modules(ARCHIVE REQUIRED IMPORTED_TARGET libarchive)  # zip files of exports
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CURL REQUIRED)
find_package(date 3.0 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)
if(CAIRN_GUI OR CAIRN_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core)
endif()
if(CAIRN_GUI)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Svg DBus)
    find_package(Qt6Keychain 0.13 REQUIRED)  # Debian: qtkeychain-qt6-dev; passwords of servers
endif()
if(CAIRN_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
endif()
include(CairnSqlite)
include(CairnPrecompiled)
find_package(PostgreSQL 15 REQUIRED)

# One layer = one static library = one folder.
#   cairn_layer(NAME SOURCES a.cpp ... LINKS other ... PRIVATE_LINKS third-party ...)
function(cairn_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS")
    add_library(cairn_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(cairn_${name} PUBLIC project_options ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
    if(NOT name MATCHES "^ui_")
        cairn_precompile(cairn_${name} core)
    endif()
endfunction()

# Runs moc over a target's sources that include their own "X.moc". It is given no folders to look for headers in: the
# macros of Qt it knows by itself, and to read all that a test includes took it 50 times as long as this.
function(cairn_moc target)
    foreach(source ${ARGN})
        get_filename_component(stem "${source}" NAME_WE)
        get_filename_component(path "${source}" ABSOLUTE)
        file(STRINGS "${path}" own REGEX "^#include \"${stem}\\.moc\"")
        if(own)
            set(made "${CMAKE_CURRENT_BINARY_DIR}/${target}_moc/${stem}.moc")
            add_custom_command(OUTPUT "${made}" COMMAND Qt6::moc "${path}" -o "${made}" DEPENDS "${path}"
                COMMENT "moc ${source}" VERBATIM)
            target_sources(${target} PRIVATE "${made}")
            target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${target}_moc")
        endif()
    endforeach()
endfunction()

# A Qt Test program: cairn_test(tst_x LABELS base LINKS cairn_base SOURCES extra.cpp ...); its main file is NAME.cpp.
# UNDER: a command that the test is run by, with the test's program and arguments after it. MOC_HEADERS: where a header
# of its sources has Q_OBJECT; a source includes the "X.moc" of its own.
function(cairn_test name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "MOC_HEADERS" "TIMEOUT" "LABELS;LINKS;SOURCES;ENVIRONMENT;UNDER")
    add_executable(${name} ${name}.cpp ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    if(ARG_MOC_HEADERS)
        set_target_properties(${name} PROPERTIES AUTOMOC ON)
    else()
        cairn_moc(${name} ${name}.cpp ${ARG_SOURCES})
    endif()
    target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS
        CAIRN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CAIRN_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    target_link_libraries(${name} PRIVATE project_options ${ARG_LINKS} Qt6::Test)
    # A precompiled header fits only what is compiled with the same of Qt's definitions.
    if(ARG_LINKS MATCHES "cairn_ui_(demo|models|widgets|dialogs|pages)|Qt6::Widgets")
        cairn_precompile(${name} ui_test)
    elseif(NOT ARG_LINKS MATCHES "Qt6::Gui")
        cairn_precompile(${name} test)
    endif()
    add_test(NAME ${name} COMMAND ${ARG_UNDER} $<TARGET_FILE:${name}>)
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;XDG_STATE_HOME=${CMAKE_BINARY_DIR}/state;${ARG_ENVIRONMENT}")
endfunction()
