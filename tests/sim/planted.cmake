# Planted bugs: the simulator linked with one file of core/ in which one rule is broken, in front of the real libraries.
# Each must be found within its seeds, and for the reason that is named here (a regular expression). The text that is
# replaced must be there, so a plant cannot go stale unseen.

function(cairn_sim_plant name seeds expected file old new)
    file(READ "${PROJECT_SOURCE_DIR}/core/${file}" text)
    string(FIND "${text}" "${old}" place)
    if(place EQUAL -1)
        message(FATAL_ERROR "planted bug ${name}: core/${file} has no \"${old}\" any more")
    endif()
    string(REPLACE "${old}" "${new}" text "${text}")
    set(planted "${CMAKE_CURRENT_BINARY_DIR}/planted/${name}.cpp")
    file(CONFIGURE OUTPUT "${planted}" CONTENT "${text}" @ONLY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/core/${file}")
    add_executable(sim_planted_${name} "${planted}" $<TARGET_OBJECTS:cairn_sim_parts>)
    set_target_properties(sim_planted_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_link_libraries(sim_planted_${name} PRIVATE project_options cairn_engine cairn_store_memory)
    target_compile_options(sim_planted_${name} PRIVATE -w)  # a broken rule leaves things unused
    add_test(NAME sim_planted_${name} COMMAND sim_planted_${name} --seeds 1..${seeds} --until-broken)
    set_tests_properties(sim_planted_${name} PROPERTIES LABELS "sim;planted" TIMEOUT 300
        PASS_REGULAR_EXPRESSION "seed [0-9]+: BROKEN: (${expected})")
    set_property(GLOBAL APPEND PROPERTY cairn_sim_plants sim_planted_${name})
endfunction()
