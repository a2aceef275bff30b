# What `cmake --install` puts where (GNUInstallDirs), in three components: driver, tools (with the example programs),
# conformance (the cases and the benchmark). The tree may be moved afterwards: the manifest names the driver by a path
# relative to itself.
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # who installs builds what is installed (`./etzel package`), not the tests
if(NOT TARGET vulkan_etzel)
  return()
endif()

set(manifest_dir ${CMAKE_INSTALL_DATADIR}/vulkan/icd.d)
set(library_dir ${CMAKE_INSTALL_LIBDIR}/etzel)  # nobody links with it: only the manifest names it
file(RELATIVE_PATH to_library /prefix/${manifest_dir} /prefix/${library_dir})
set(ETZEL_ICD_LIBRARY ${to_library}/libvulkan_etzel.so)
configure_file(${CMAKE_SOURCE_DIR}/manifests/etzel_icd.json.in ${CMAKE_BINARY_DIR}/install/${ETZEL_MANIFEST} @ONLY)

install(TARGETS vulkan_etzel LIBRARY DESTINATION ${library_dir} COMPONENT driver)
install(FILES ${CMAKE_BINARY_DIR}/install/${ETZEL_MANIFEST} DESTINATION ${manifest_dir} COMPONENT driver)
install(FILES README.md CHANGELOG.md LICENSE docs/ci.md docs/determinism.md docs/packages.md manifests/debian/copyright
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT driver)

# Debian wants a changelog of its own form, compressed; its date is that of the last change of CHANGELOG.md.
file(TIMESTAMP ${CMAKE_SOURCE_DIR}/CHANGELOG.md ETZEL_CHANGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(manifests/debian/changelog.in ${CMAKE_BINARY_DIR}/install/changelog @ONLY)
execute_process(COMMAND gzip -9nfk ${CMAKE_BINARY_DIR}/install/changelog COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${CMAKE_BINARY_DIR}/install/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT driver)

# etzel_programs(<component> [<program> <summary>]...): programs with a manual page each, which is their --help.
add_custom_target(etzel_installed DEPENDS vulkan_etzel)  # all that is installed
function(etzel_programs component)
  while(ARGN)
    list(POP_FRONT ARGN program summary)
    add_dependencies(etzel_installed ${program})
    set(page ${CMAKE_BINARY_DIR}/install/${program}.1.gz)
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
    install(CODE "execute_process(COMMAND \"${Python3_EXECUTABLE}\" \"${CMAKE_SOURCE_DIR}/packages/man_page.py\"
                  \"${summary}\" \"${page}\" ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:${program}>\" COMMAND_ERROR_IS_FATAL ANY)"
            COMPONENT ${component})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  endwhile()
endfunction()

etzel_programs(tools
  etzel-isa "assemble, disassemble, verify and run Etzel's shader programs"
  etzel-inspect "look inside an application's multisampled surfaces"
  etzel-debug "trace and debug shaders that run on Etzel"
  etzel-demo "draw a multisampled scene with Vulkan"
  etzel-fragment-mask "draw with VK_AMD_shader_fragment_mask")
install(FILES docs/isa.md docs/inspect.md docs/debugging.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools)
install(FILES examples/python/triangle.py examples/webgpu/triangle.mjs DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
        COMPONENT tools)

etzel_programs(conformance etzel-cts "conformance cases for Vulkan drivers")
if(TARGET etzel-vkbench)
  etzel_programs(conformance etzel-vkbench "compare the speed of Vulkan drivers")
endif()
install(DIRECTORY cts-subset/expect DESTINATION ${CMAKE_INSTALL_DATADIR}/etzel COMPONENT conformance)
