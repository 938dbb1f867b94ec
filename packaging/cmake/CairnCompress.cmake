# Run by cpack between installing the parts into their folders and packing them: compresses manual pages, as Debian wants them.
file(GLOB_RECURSE pages "${CPACK_TEMPORARY_DIRECTORY}/*.1" "${CPACK_TEMPORARY_DIRECTORY}/*.8")
list(FILTER pages INCLUDE REGEX "/share/man/man[18]/")
foreach(page IN LISTS pages)
    execute_process(COMMAND gzip -9nf "${page}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
