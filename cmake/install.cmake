# What `cmake --install` puts where (GNUInstallDirs), in three components: driver, tools (with the example programs),
# conformance (the cases and the benchmark). The tree may be moved afterwards: the manifest names the driver by a path
# relative to itself.
include(GNUInstallDirs)
if(NOT TARGET vulkan_etzel)
  return()
endif()

set(manifest_dir ${CMAKE_INSTALL_DATADIR}/vulkan/icd.d)
set(ETZEL_MANIFEST etzel_icd.${CMAKE_SYSTEM_PROCESSOR}.json)
set(library_dir ${CMAKE_INSTALL_LIBDIR}/etzel)  # nobody links with it: only the manifest names it
file(RELATIVE_PATH to_library /prefix/${manifest_dir} /prefix/${library_dir})
set(ETZEL_ICD_LIBRARY ${to_library}/libvulkan_etzel.so)
configure_file(${CMAKE_SOURCE_DIR}/manifests/etzel_icd.json.in ${CMAKE_BINARY_DIR}/install/${ETZEL_MANIFEST} @ONLY)

install(TARGETS vulkan_etzel LIBRARY DESTINATION ${library_dir} COMPONENT driver)
install(FILES ${CMAKE_BINARY_DIR}/install/${ETZEL_MANIFEST} DESTINATION ${manifest_dir} COMPONENT driver)
install(FILES README.md CHANGELOG.md LICENSE manifests/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT driver)

# Debian wants a changelog of its own form, compressed; its date is that of the last change of CHANGELOG.md.
file(TIMESTAMP ${CMAKE_SOURCE_DIR}/CHANGELOG.md ETZEL_CHANGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(manifests/debian/changelog.in ${CMAKE_BINARY_DIR}/install/changelog @ONLY)
file(ARCHIVE_CREATE OUTPUT ${CMAKE_BINARY_DIR}/install/changelog.gz PATHS ${CMAKE_BINARY_DIR}/install/changelog
     FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
install(FILES ${CMAKE_BINARY_DIR}/install/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT driver)

install(TARGETS etzel-isa etzel-inspect etzel-debug etzel-demo etzel-fragment-mask
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
install(FILES docs/isa.md docs/inspect.md docs/debugging.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools)

install(TARGETS etzel-cts etzel-vkbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT conformance)
install(DIRECTORY cts-subset/expect DESTINATION ${CMAKE_INSTALL_DATADIR}/etzel COMPONENT conformance)
