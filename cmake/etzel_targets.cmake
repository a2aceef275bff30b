# etzel_targets(<library> files...): compiles each file once per target of runtime/simd/target.h and adds the objects to
# the library (or program). etzel_folder() calls it for *_simd.cpp, *_simd_test.cpp and *_simd_bench.cpp.
#
# The compilations share headers, and an inline function compiled for AVX2 must never become the one that the whole
# program uses, on machines without AVX2 too. So the objects of a target above the baseline become one object in which
# only the names of the target's namespace are visible to others: `ld -r` dissolves the groups by which linkers unite
# inline functions, objcopy makes the rest local (etzel_join.cmake). Inline variables stay one in the whole program.
#
# etzel_target_options(<target> files... OPTIONS options...): more options for files in one target's compilation.
# ETZEL_HOST is what the folders of this kind of host are called, wherever there are some; ETZEL_OTHER_HOSTS what not.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(ETZEL_HOST x64)
  set(ETZEL_OTHER_HOSTS "/arm64/")
  set(ETZEL_BASELINE x86_64_v1)
  set(ETZEL_TARGETS x86_64_v1 x86_64_v3)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(ETZEL_HOST arm64)
  set(ETZEL_OTHER_HOSTS "/x64/")
  set(ETZEL_BASELINE neon)
  set(ETZEL_TARGETS neon)
else()
  message(FATAL_ERROR "Etzel knows x86-64 and AArch64, not ${CMAKE_SYSTEM_PROCESSOR}")
endif()
set(ETZEL_OPTIONS_neon)
set(ETZEL_OPTIONS_x86_64_v1)
set(ETZEL_OPTIONS_x86_64_v3 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt -mmovbe)
find_program(ETZEL_LD NAMES ld.bfd ld REQUIRED)  # lld knows no --force-group-allocation

function(etzel_targets library)
  if(NOT ARGN)
    return()
  endif()
  foreach(target ${ETZEL_TARGETS})
    set(objects ${library}_${target})
    add_library(${objects} OBJECT ${ARGN})
    target_link_libraries(${objects} PRIVATE $<TARGET_PROPERTY:${library},LINK_LIBRARIES>)
    target_compile_options(${objects} PRIVATE ${ETZEL_OPTIONS_${target}})
    if(ETZEL_SANITIZE MATCHES "address")
      # Vectors are inlined into few large functions, where checks of every access take minutes to compile: addresses are
      # checked by calls, undefined behaviour is not.
      target_compile_options(${objects} PRIVATE -fno-sanitize=undefined
        "$<IF:$<CXX_COMPILER_ID:GNU>,--param=,SHELL:-mllvm ->asan-instrumentation-with-call-threshold=0")
    endif()
    target_compile_definitions(${objects} PRIVATE ETZEL_TARGET=${target})
    set_target_properties(${objects} PROPERTIES ETZEL_TARGET ${target})
    if(target STREQUAL ETZEL_BASELINE)
      target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
    else()
      string(LENGTH ${target} length)
      set(object ${CMAKE_CURRENT_BINARY_DIR}/${objects}.o)
      add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_COMMAND} -DLD=${ETZEL_LD} -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY} "-DKEEP=*${length}${target}*"
                -DOUTPUT=${object} -P ${CMAKE_SOURCE_DIR}/cmake/etzel_join.cmake -- $<TARGET_OBJECTS:${objects}>
        DEPENDS ${CMAKE_SOURCE_DIR}/cmake/etzel_join.cmake $<TARGET_OBJECTS:${objects}> COMMAND_EXPAND_LISTS VERBATIM)
      target_sources(${library} PRIVATE ${object})
      set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    endif()
  endforeach()
endfunction()

function(etzel_target_options target)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  foreach(option ${ARG_OPTIONS})
    set_property(SOURCE ${ARG_UNPARSED_ARGUMENTS} APPEND PROPERTY COMPILE_OPTIONS
                 $<$<STREQUAL:$<TARGET_PROPERTY:ETZEL_TARGET>,${target}>:${option}>)
  endforeach()
endfunction()
