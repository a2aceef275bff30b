# etzel_shaders(<target> [WITH_SOURCE] files... [INCLUDES files...]): GLSL to SPIR-V, as headers named <file>.h with an
# array <file_with_underscores>. INCLUDES: what the files include, so that changes there count. WITH_SOURCE: debuggers
# find source and names in the module.
find_program(GLSLANG glslangValidator REQUIRED)
function(etzel_shaders target)
  cmake_parse_arguments(ARG "WITH_SOURCE" "" "INCLUDES" ${ARGN})
  set(options)
  if(ARG_WITH_SOURCE)
    set(options -gVS)
  endif()
  foreach(shader ${ARG_UNPARSED_ARGUMENTS})
    get_filename_component(name ${shader} NAME)
    string(REPLACE "." "_" symbol ${name})
    set(header ${CMAKE_CURRENT_BINARY_DIR}/shaders/${name}.h)
    add_custom_command(OUTPUT ${header}
      COMMAND ${GLSLANG} -V ${options} --target-env vulkan1.1 --vn ${symbol} -o ${header} ${shader}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      DEPENDS ${shader} ${ARG_INCLUDES} VERBATIM)
    target_sources(${target} PRIVATE ${header})
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/shaders)
endfunction()
