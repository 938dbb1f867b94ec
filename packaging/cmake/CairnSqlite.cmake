# SQLite: a version without the WAL-reset bug (affected: 3.7.0 to 3.51.2, but for the back-ports 3.44.6 and 3.50.7).
# packaging/fetch-sqlite puts a pinned amalgamation into third_party/sqlite (not tracked) where the system's is affected.
find_package(SQLite3 QUIET)
function(cairn_sqlite_is_fixed version out)
    set(${out} FALSE PARENT_SCOPE)
    if(version VERSION_GREATER_EQUAL "3.51.3" OR version VERSION_EQUAL "3.44.6" OR version VERSION_EQUAL "3.50.7")
        set(${out} TRUE PARENT_SCOPE)
    endif()
endfunction()

set(CAIRN_SQLITE_DIR "${PROJECT_SOURCE_DIR}/third_party/sqlite" CACHE PATH "Folder with sqlite3.c and sqlite3.h")
cairn_sqlite_is_fixed("${SQLite3_VERSION}" CAIRN_SYSTEM_SQLITE_FIXED)
if(CAIRN_SYSTEM_SQLITE_FIXED)
    add_library(cairn_sqlite3 INTERFACE)
    target_link_libraries(cairn_sqlite3 INTERFACE SQLite::SQLite3)
elseif(EXISTS "${CAIRN_SQLITE_DIR}/sqlite3.c")
    add_library(cairn_sqlite3 STATIC "${CAIRN_SQLITE_DIR}/sqlite3.c")
    target_include_directories(cairn_sqlite3 SYSTEM PUBLIC "${CAIRN_SQLITE_DIR}")
    target_compile_definitions(cairn_sqlite3 PRIVATE HAVE_FDATASYNC=1 SQLITE_THREADSAFE=2 SQLITE_DQS=0
        SQLITE_OMIT_LOAD_EXTENSION SQLITE_OMIT_SHARED_CACHE SQLITE_DEFAULT_MEMSTATUS=0 SQLITE_ENABLE_API_ARMOR)
    target_compile_options(cairn_sqlite3 PRIVATE -O2 -w)
    target_link_libraries(cairn_sqlite3 PUBLIC Threads::Threads m)
else()
    message(FATAL_ERROR "The system's SQLite (${SQLite3_VERSION}) has the WAL-reset bug and there is no amalgamation in "
        "${CAIRN_SQLITE_DIR}. Run packaging/fetch-sqlite (or packaging/quickstart, which does) and configure again.")
endif()
