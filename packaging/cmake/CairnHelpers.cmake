# Where programs are installed that only other programs call, and how these find them: from their own folder, so that
# a whole installation can be moved.
include(GNUInstallDirs)
set(CAIRN_HELPERS_DIR "${CMAKE_INSTALL_LIBEXECDIR}/cairn")
file(RELATIVE_PATH CAIRN_HELPERS_FROM_BIN "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBEXECDIR}/cairn")
