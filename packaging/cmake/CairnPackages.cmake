# Two Debian packages by `cpack -G DEB` (packaging/deb): cairn (engine and command line) and cairn-console. Libraries that a
# program links are found by dpkg-shlibdeps; what is only run or loaded is named here.
set(CAIRN_MAINTAINER "Cairn maintainers <maintainers@cairn.invalid>" CACHE STRING "Maintainer of the packages")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cairn)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_VENDOR Cairn)
set(CPACK_PACKAGE_CONTACT "${CAIRN_MAINTAINER}")
# Each package's description begins with a synopsis of its own. CPack puts this before it, unless it is what CPack says of itself.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL engine)
if(TARGET cairn-console)
    list(APPEND CPACK_COMPONENTS_ALL console)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CAIRN_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(debian "${PROJECT_SOURCE_DIR}/packaging/debian")
set(CPACK_DEBIAN_ENGINE_PACKAGE_NAME cairn)
set(CPACK_DEBIAN_ENGINE_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_ENGINE_DESCRIPTION "Keeps long runs of AI agents alive: engine and command line
Runs of AI agents last hours and days, wait for approvals and limits, and get
killed by deploys and crashes. Cairn keeps each run as a task graph with a
hash-chained history in a store (one SQLite file, or a PostgreSQL database),
executes it, recovers it, and never does something irreversible twice.
.
This package has the engine, the command line, the handbook, and the units of
systemd for engines of the system and of a user.")
# tzdata: rules of local time. ca-certificates: providers over TLS, buckets. SQLite is in the program where Debian's has the
# WAL-reset fault (CairnSqlite.cmake), and found by shlibdeps where it has not.
set(CPACK_DEBIAN_ENGINE_PACKAGE_DEPENDS "tzdata, ca-certificates")
# The example workflows' tools are Python and call git; a login's password may lie in the desktop's keychain.
set(CPACK_DEBIAN_ENGINE_PACKAGE_RECOMMENDS "shared-mime-info, python3")
set(CPACK_DEBIAN_ENGINE_PACKAGE_SUGGESTS "git, libsecret-tools, postgresql, cairn-console")
set(CPACK_DEBIAN_ENGINE_PACKAGE_CONTROL_EXTRA "${debian}/postinst;${debian}/prerm;${debian}/postrm")

set(CPACK_DEBIAN_CONSOLE_PACKAGE_NAME cairn-console)
set(CPACK_DEBIAN_CONSOLE_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_CONSOLE_DESCRIPTION "Desktop console for operators of Cairn
Shows the runs of one or several Cairn stores: says in one sentence why a run
waits, since when, what ends it and what may be done. Every act is previewed
by the rules that will carry it out. The handbook is part of the program.")
# Of the same version as the engine: a store is read by the rules that wrote it. libqt6svg6 has the plugins that draw icons,
# libqt6gui6 those of the platform (X11, offscreen); both are loaded when the program runs, and so is libsecret, by libqt6keychain1
# (which shlibdeps finds), where the desktop keeps passwords by it.
set(CPACK_DEBIAN_CONSOLE_PACKAGE_DEPENDS
    "cairn (= ${PROJECT_VERSION}-1), libqt6svg6, libqt6gui6, hicolor-icon-theme, fonts-dejavu-core | fonts-inter")
set(CPACK_DEBIAN_CONSOLE_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono, qt6-wayland, shared-mime-info, libsecret-1-0")
set(CPACK_DEBIAN_CONSOLE_PACKAGE_SUGGESTS "gnome-keyring | kwalletmanager, fonts-droid-fallback")

# What the policy of Debian wants of every package: copyright, and the changelog compressed. Manual pages are compressed by
# packaging/deb, after they were put in place.
find_program(CAIRN_GZIP gzip)
if(CAIRN_GZIP)
    add_custom_command(OUTPUT "${CAIRN_PAGES_DIR}/changelog.Debian.gz"
        COMMAND "${CAIRN_GZIP}" -9nc "${debian}/changelog" > "${CAIRN_PAGES_DIR}/changelog.Debian.gz"
        DEPENDS "${debian}/changelog" VERBATIM COMMENT "Changelog of the packages")
    add_custom_target(cairn_changelog ALL DEPENDS "${CAIRN_PAGES_DIR}/changelog.Debian.gz")
    foreach(part engine console)
        string(REPLACE engine cairn name "${part}")
        string(REPLACE console cairn-console name "${name}")
        if(part IN_LIST CPACK_COMPONENTS_ALL)
            install(FILES "${debian}/copyright" "${CAIRN_PAGES_DIR}/changelog.Debian.gz"
                DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}" COMPONENT ${part})
        endif()
    endforeach()
endif()
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/CairnCompress.cmake")
include(CPack)
