# What `cmake --install` puts where. Programs that only tests use (cairn-sim) are not installed.
include(CairnHelpers)
# Nobody calls these but `cairn drill`: the payment provider, and the previous version that a store is migrated from.
install(TARGETS cairn-effectd cairn-format1 RUNTIME DESTINATION "${CAIRN_HELPERS_DIR}")
foreach(program cairn cairn-exec cairn-console)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    endif()
endforeach()
# The manual page and the completion are what the program itself prints, so they cannot fall behind it.
if(TARGET cairn AND NOT CMAKE_CROSSCOMPILING)
    set(pages "${CMAKE_BINARY_DIR}/generated/pages")
    file(MAKE_DIRECTORY "${pages}")
    add_custom_command(OUTPUT "${pages}/cairn.1" "${pages}/cairn.bash"
        COMMAND cairn man > "${pages}/cairn.1"
        COMMAND cairn completion > "${pages}/cairn.bash"
        DEPENDS cairn VERBATIM COMMENT "Manual page and completion")
    add_custom_target(cairn_pages ALL DEPENDS "${pages}/cairn.1" "${pages}/cairn.bash")
    install(FILES "${pages}/cairn.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES "${pages}/cairn.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME cairn)
endif()
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
foreach(folder workflows schemas handbook)
    if(EXISTS "${PROJECT_SOURCE_DIR}/resources/${folder}")
        install(DIRECTORY "resources/${folder}" DESTINATION "${CMAKE_INSTALL_DATADIR}/cairn" USE_SOURCE_PERMISSIONS)
    endif()
endforeach()
if(TARGET cairn-console)
    install(FILES packaging/cairn-console.desktop DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
    install(FILES resources/icons/cairn.svg DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
endif()
install(FILES packaging/cairn-engine@.service DESTINATION lib/systemd/user)
