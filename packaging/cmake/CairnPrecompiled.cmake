# Precompiled headers of the standard library and of Qt, which are most of what a compiler reads here. Off by default: a
# compiler cache shares nothing between two folders when they are on, and a missing #include shows only without them.
#   cairn_precompile(TARGET core|ui|test|ui_test)
option(CAIRN_PCH "Use precompiled headers" OFF)

set(CAIRN_QT_STRICT QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_CAST_FROM_BYTEARRAY QT_NO_FOREACH
    QT_NO_NARROWING_CONVERSIONS_IN_CONNECT QT_DISABLE_DEPRECATED_BEFORE=0x060400)

# Qt defines these with each test's own folder, and QtTest's header looks at them; one header for all tests needs them gone.
# (They serve QFINDTESTDATA, which is not used here.)
set(CAIRN_PCH_TEST_OPTIONS -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR)

function(cairn_pch kind)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "HEADERS;LINKS;DEFINITIONS")
    set(stub "${CMAKE_BINARY_DIR}/pch/${kind}.cpp")
    file(CONFIGURE OUTPUT "${stub}" CONTENT "// Carries the precompiled header \"${kind}\".\n")
    add_library(cairn_pch_${kind} OBJECT "${stub}")
    target_compile_definitions(cairn_pch_${kind} PRIVATE ${ARG_DEFINITIONS})
    if(kind MATCHES test)
        target_compile_options(cairn_pch_${kind} PRIVATE ${CAIRN_PCH_TEST_OPTIONS})
    endif()
    target_link_libraries(cairn_pch_${kind} PRIVATE project_options ${ARG_LINKS})
    target_precompile_headers(cairn_pch_${kind} PRIVATE
        <algorithm> <array> <atomic> <charconv> <chrono> <compare> <condition_variable> <cstdint> <cstring> <deque>
        <fstream> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <sstream> <string> <string_view> <thread>
        <tuple> <unordered_map> <utility> <variant> <vector> ${ARG_HEADERS})
endfunction()

if(CAIRN_PCH)
    cairn_pch(core)
    if(CAIRN_GUI)
        cairn_pch(ui HEADERS <QtWidgets/QtWidgets> LINKS Qt6::Widgets DEFINITIONS ${CAIRN_QT_STRICT})
    endif()
    if(CAIRN_TESTS)
        cairn_pch(test HEADERS <QtTest/QtTest> LINKS Qt6::Test DEFINITIONS QT_NO_KEYWORDS)
        if(CAIRN_GUI)
            cairn_pch(ui_test HEADERS <QtTest/QtTest> <QtWidgets/QtWidgets> LINKS Qt6::Test Qt6::Widgets
                DEFINITIONS QT_NO_KEYWORDS)
        endif()
    endif()
endif()

function(cairn_precompile target kind)
    if(TARGET cairn_pch_${kind})
        if(kind MATCHES test)
            target_compile_options(${target} PRIVATE ${CAIRN_PCH_TEST_OPTIONS})
        endif()
        target_precompile_headers(${target} REUSE_FROM cairn_pch_${kind})
    endif()
endfunction()
