# What `cmake --install` puts where, in two parts: "engine" (engine, command line, handbook) and "console". The packages are
# made of the same parts (CairnPackages.cmake). Programs that only tests use (cairn-sim) are not installed.
include(CairnHelpers)
set(CAIRN_PAGES_DIR "${CMAKE_BINARY_DIR}/generated/pages")
file(MAKE_DIRECTORY "${CAIRN_PAGES_DIR}")

# Programs. What only other programs call lies apart: cairn-exec, and the drill's payment provider and previous version.
install(TARGETS cairn RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT engine)
install(TARGETS cairn-exec cairn-effectd cairn-format1 RUNTIME DESTINATION "${CAIRN_HELPERS_DIR}" COMPONENT engine)

# The manual page and the completion are what the program itself prints, so they cannot fall behind it.
if(NOT CMAKE_CROSSCOMPILING)
    add_custom_command(OUTPUT "${CAIRN_PAGES_DIR}/cairn.1" "${CAIRN_PAGES_DIR}/cairn.bash"
        COMMAND cairn man > "${CAIRN_PAGES_DIR}/cairn.1"
        COMMAND cairn completion > "${CAIRN_PAGES_DIR}/cairn.bash"
        DEPENDS cairn VERBATIM COMMENT "Manual page and completion")
    add_custom_target(cairn_pages ALL DEPENDS "${CAIRN_PAGES_DIR}/cairn.1" "${CAIRN_PAGES_DIR}/cairn.bash")
    install(FILES "${CAIRN_PAGES_DIR}/cairn.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT engine)
    install(FILES "${CAIRN_PAGES_DIR}/cairn.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        RENAME cairn COMPONENT engine)
endif()
install(FILES packaging/man/cairn-exec.8 packaging/man/cairn-effectd.8 packaging/man/cairn-format1.8
    DESTINATION "${CMAKE_INSTALL_MANDIR}/man8" COMPONENT engine)
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT engine)
# In no package: Debian has the text of this licence, and the packages' copyright files name it.
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licence)
foreach(folder workflows schemas handbook)
    install(DIRECTORY "resources/${folder}" DESTINATION "${CMAKE_INSTALL_DATADIR}/cairn" USE_SOURCE_PERMISSIONS COMPONENT engine)
endforeach()
install(FILES packaging/cairn-engine@.service DESTINATION lib/systemd/user COMPONENT engine)
install(FILES packaging/system/cairn-engine@.service DESTINATION lib/systemd/system COMPONENT engine)
# Both packages may be there alone; the type of stores belongs to what makes them.
install(FILES packaging/mime/cairn.xml DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages" COMPONENT engine)

if(TARGET cairn-console)
    set(icons "${CMAKE_INSTALL_DATADIR}/icons/hicolor")
    install(TARGETS cairn-console RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT console)
    install(FILES packaging/man/cairn-console.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT console)
    install(FILES packaging/cairn-console.desktop DESTINATION "${CMAKE_INSTALL_DATADIR}/applications" COMPONENT console)
    install(FILES packaging/org.cairn.Console.metainfo.xml DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo" COMPONENT console)
    install(FILES resources/icons/cairn.svg DESTINATION "${icons}/scalable/apps" COMPONENT console)
    install(FILES resources/icons/cairn-symbolic.svg DESTINATION "${icons}/symbolic/apps" COMPONENT console)
    install(FILES resources/icons/application-x-cairn-store.svg resources/icons/application-x-cairn-bundle.svg
        DESTINATION "${icons}/scalable/mimetypes" COMPONENT console)

    # The sizes that menus and lists ask for, drawn from the same drawings; small ones from one with fewer lines.
    add_executable(cairn_render_icon resources/icons/render.cpp)
    target_link_libraries(cairn_render_icon PRIVATE project_options Qt6::Svg)
    set(made "")
    foreach(size 16 22 24 32 48 64 128 256 512)
        set(drawing cairn.svg)
        if(size LESS 32)
            set(drawing cairn-small.svg)
        endif()
        set(folder "${CMAKE_BINARY_DIR}/generated/icons/${size}x${size}")
        file(MAKE_DIRECTORY "${folder}")
        add_custom_command(OUTPUT "${folder}/cairn.png"
            COMMAND cairn_render_icon "${PROJECT_SOURCE_DIR}/resources/icons/${drawing}" ${size} "${folder}/cairn.png"
            DEPENDS cairn_render_icon "${PROJECT_SOURCE_DIR}/resources/icons/${drawing}" VERBATIM COMMENT "Icon of ${size} pixels")
        list(APPEND made "${folder}/cairn.png")
        install(FILES "${folder}/cairn.png" DESTINATION "${icons}/${size}x${size}/apps" COMPONENT console)
    endforeach()
    add_custom_target(cairn_icons ALL DEPENDS ${made})
endif()
include(CairnPackages)
