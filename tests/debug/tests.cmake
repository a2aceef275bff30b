# Tests of what looks into shaders and pixels; included by the folder above, in builds that have that.
add_executable(etzel-inspect-scene inspect/scene.cpp)
target_link_libraries(etzel-inspect-scene PRIVATE etzel_cts_support)
add_test(NAME inspect COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check_inspect.sh $<TARGET_FILE:etzel-inspect>
         $<TARGET_FILE:etzel-fragment-mask> $<TARGET_FILE:etzel-inspect-scene> ${CMAKE_CURRENT_BINARY_DIR}/inspect)
add_executable(etzel-history-scene inspect/history_scene.cpp)
target_link_libraries(etzel-history-scene PRIVATE etzel_cts_support)
add_test(NAME inspect_history COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/inspect/check_history.py
         $<TARGET_FILE:etzel-inspect> $<TARGET_FILE:etzel-history-scene> $<TARGET_FILE:etzel-cts>
         ${CMAKE_CURRENT_BINARY_DIR}/inspect_history)
add_test(NAME debug COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check_debug.sh $<TARGET_FILE:etzel-debug>
         $<TARGET_FILE:etzel-demo> $<TARGET_FILE:etzel-debug-scene> $<TARGET_FILE:etzel-pixel-scene>
         ${CMAKE_CURRENT_BINARY_DIR}/debug)
add_executable(etzel-debug-scene debug/scene.cpp)
target_link_libraries(etzel-debug-scene PRIVATE etzel_cts_support)
foreach(part "" _run _look)
  add_test(NAME debug_adapter${part} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/dap${part}_test.py
           $<TARGET_FILE:etzel-debug> $<TARGET_FILE:etzel-debug-scene> $<TARGET_FILE:etzel-demo> ${manifest})
endforeach()
add_executable(etzel-stops-scene debug/stops_scene.cpp)
target_link_libraries(etzel-stops-scene PRIVATE etzel_cts_support)
add_test(NAME debug_stops COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/stops_test.py
         $<TARGET_FILE:etzel-debug> $<TARGET_FILE:etzel-stops-scene> ${manifest})
foreach(part faults pages)
  add_executable(etzel-${part}-scene debug/${part}_scene.cpp)
  target_link_libraries(etzel-${part}-scene PRIVATE etzel_cts_support)
  add_test(NAME debug_${part} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/${part}_test.py
           $<TARGET_FILE:etzel-debug> $<TARGET_FILE:etzel-${part}-scene> ${manifest})
endforeach()
add_executable(etzel-print-scene debug/print_scene.cpp)
target_link_libraries(etzel-print-scene PRIVATE etzel_cts_support)
add_test(NAME debug_print COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/print_test.py
         $<TARGET_FILE:etzel-print-scene> $<TARGET_FILE:etzel-debug> ${manifest})
add_test(NAME debug_same_bytes COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/same_bytes.py
         $<TARGET_FILE:etzel-cts> ${manifest} ${CMAKE_CURRENT_BINARY_DIR}/debug_same_bytes)
add_test(NAME debug_same_bytes_everywhere COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/same_bytes.py
         $<TARGET_FILE:etzel-cts> ${manifest} ${CMAKE_CURRENT_BINARY_DIR}/debug_same_bytes_everywhere --everywhere --steps 100)
add_test(NAME debug_hostile COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/hostile.py
         $<TARGET_FILE:etzel-debug> $<TARGET_FILE:etzel-debug-scene> ${manifest})
add_test(NAME debug_other_client COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/debug/other_client.sh $<TARGET_FILE:etzel-debug>
         $<TARGET_FILE:etzel-debug-scene> ${manifest} $<TARGET_FILE_DIR:etzel-centroid>
         ${CMAKE_CURRENT_BINARY_DIR}/debug_other_client)
set_tests_properties(debug_hostile PROPERTIES COST 75)
set_tests_properties(debug_other_client PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
add_test(NAME debug_tour COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/tour.py $<TARGET_FILE:etzel-debug>
         $<TARGET_FILE:etzel-inspect> $<TARGET_FILE_DIR:etzel-centroid> ${manifest} ${CMAKE_CURRENT_BINARY_DIR}/debug_tour)
add_executable(etzel-pixel-scene debug/pixel_scene.cpp)
target_link_libraries(etzel-pixel-scene PRIVATE etzel_cts_support ${CMAKE_DL_LIBS})
add_test(NAME debug_pixel COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/pixel_test.py
         $<TARGET_FILE:etzel-debug> $<TARGET_FILE:etzel-pixel-scene> ${manifest})
add_test(NAME debug_malformed COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/malformed_test.py
         $<TARGET_FILE:etzel-debug>)
add_test(NAME debug_console COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/console_test.py
         $<TARGET_FILE:etzel-debug> $<TARGET_FILE:etzel-debug-scene> $<TARGET_FILE:etzel-pixel-scene> ${manifest})
add_test(NAME debug_renderdoc COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debug/renderdoc_test.py
         $<TARGET_FILE:etzel-debug> $<TARGET_FILE:etzel-demo> ${manifest} ${CMAKE_CURRENT_BINARY_DIR}/debug_renderdoc)
set_tests_properties(debug_renderdoc PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
set_tests_properties(inspect inspect_history debug debug_adapter debug_adapter_run debug_adapter_look debug_same_bytes
                     debug_same_bytes_everywhere
                     debug_hostile debug_tour PROPERTIES ENVIRONMENT "${driver_env}" TIMEOUT 3600)
# What is made to find mistakes is not made to be fast.
if(ETZEL_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL Debug)
  set_property(TEST debug_adapter_run APPEND PROPERTY ENVIRONMENT ETZEL_TEST_TIMES=off)
endif()
