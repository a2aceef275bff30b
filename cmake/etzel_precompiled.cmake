# etzel_precompiled(<program>): GoogleTest and what tests include of the standard library is read once for all files of
# the test programs, which are compiled alike, and not for each of them: a quarter of their time. GCC's own way of it, so
# other compilers do without (as .clangd lets editors).
#
# Such a file does not prove any more that its first header says what it needs: tests/check_headers.py asks about those.
option(ETZEL_PRECOMPILED "Read GoogleTest and the standard library once for all tests" ON)
set(ETZEL_PRECOMPILED_HEADERS <gtest/gtest.h> <algorithm> <array> <bit> <cmath> <cstring> <filesystem> <fstream>
                              <functional> <map> <memory> <random> <set> <span> <string> <string_view> <thread>
                              <unordered_map> <vector> <vulkan/vulkan.h>)

function(etzel_precompiled program)
  if(NOT ETZEL_PRECOMPILED OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR ETZEL_SANITIZE)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY ETZEL_PRECOMPILED_OWNER)
  if(owner)
    target_precompile_headers(${program} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${program} PRIVATE ${ETZEL_PRECOMPILED_HEADERS})
    set_property(GLOBAL PROPERTY ETZEL_PRECOMPILED_OWNER ${program})
  endif()
  # The first for ccache, the others since GCC 12 does not know any more that what it takes for mistakes is the library's.
  target_compile_options(${program} PRIVATE -fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
endfunction()
