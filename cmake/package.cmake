# `./etzel package` (CPack): etzel_VERSION_ARCH.deb and etzel-VERSION-ARCH.tar.gz, stripped.
if(NOT TARGET vulkan_etzel)
  return()
endif()
set(CPACK_PACKAGE_NAME etzel)
set(CPACK_PACKAGE_VENDOR "Etzel")
set(CPACK_PACKAGE_CONTACT "Etzel maintainers <maintainers@etzel.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Vulkan driver that runs on the CPU")
set(CPACK_PACKAGE_DESCRIPTION "Etzel renders with Vulkan 1.3 where no GPU is, and gives the same bytes\n\
on every machine. Multisampled surfaces are stored compressed;\n\
VK_AMD_shader_fragment_mask shows how. Conformance cases, a benchmark and\n\
tools that look inside surfaces come along.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME etzel-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
if(CMAKE_CROSSCOMPILING)
  # What dpkg-shlibdeps would find in a root with a package database.
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.35), libpng16-16 (>= 1.6.2-1) | libpng16-16t64, libvulkan1 (>= 1.3.204.0), libzstd1 (>= 1.5.2), zlib1g (>= 1:1.2.0)")
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libvulkan1)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libxcb1, libxcb-shm0, libx11-xcb1, libwayland-client0, vulkan-tools")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_options.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
include(CPack)
