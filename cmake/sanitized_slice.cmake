# etzel_sanitized_test: what reads formats, layouts, files and programs that may be anything, with its tests, under the
# address and undefined-behaviour sanitizers and with \pre contracts checked: the part of `./etzel sanitize` that is
# quick enough for every `./etzel test`.
if(NOT ETZEL_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  file(GLOB slice CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/runtime/base/*.cpp ${CMAKE_SOURCE_DIR}/runtime/format/*.cpp
       ${CMAKE_SOURCE_DIR}/runtime/mem/*.cpp ${CMAKE_SOURCE_DIR}/runtime/store/*.cpp
       ${CMAKE_SOURCE_DIR}/compiler/isa/*.cpp)
  # The latter two test with what is above and beside: kernels, the host's vectors.
  list(FILTER slice EXCLUDE REGEX "_fuzz\\.cpp$|verify_info_test|srgb_block_test")
  add_executable(etzel_sanitized_test ${slice})
  add_dependencies(etzel_sanitized_test etzel_newer)
  target_compile_definitions(etzel_sanitized_test PRIVATE ETZEL_ASSERTIONS)
  target_compile_options(etzel_sanitized_test PRIVATE -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                                      -fno-omit-frame-pointer)
  list(FILTER slice INCLUDE REGEX "_test\\.cpp$")
  # The checks in tests, mostly macros, would take longer to compile than all that they test.
  set_source_files_properties(${slice} PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
  target_link_options(etzel_sanitized_test PRIVATE -fsanitize=address,undefined)
  target_link_libraries(etzel_sanitized_test PRIVATE GTest::gmock GTest::gtest GTest::gtest_main Threads::Threads)
  add_test(NAME sanitized COMMAND etzel_sanitized_test)
endif()
