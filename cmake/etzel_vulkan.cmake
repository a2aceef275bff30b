# The Vulkan headers, their registry, and what both lack of the extensions that the driver offers: the target
# etzel_newer generates icd/vulkan_newer.h and runtime/format/newer_formats.h from icd/dispatch/newer.xml.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(ETZEL_VULKAN_HEADERS "" CACHE PATH "Folder with vulkan/vulkan.h, when not the system's")
set(registry /usr/share/vulkan/registry/vk.xml)
if(ETZEL_VULKAN_HEADERS)
  include_directories(BEFORE SYSTEM ${ETZEL_VULKAN_HEADERS})
  foreach(near registry share/vulkan/registry)  # a checkout of Vulkan-Headers, an installation
    if(EXISTS ${ETZEL_VULKAN_HEADERS}/../${near}/vk.xml)
      set(registry ${ETZEL_VULKAN_HEADERS}/../${near}/vk.xml)
    endif()
  endforeach()
endif()
set(ETZEL_VULKAN_REGISTRY ${registry} CACHE FILEPATH "The registry that the headers were made from")

set(ETZEL_DISPATCH ${CMAKE_SOURCE_DIR}/icd/dispatch)
set(ETZEL_REGISTRY_FILES ${ETZEL_DISPATCH}/registry.py ${ETZEL_DISPATCH}/newer.xml ${ETZEL_DISPATCH}/extensions.txt
                         ${ETZEL_VULKAN_REGISTRY})  # what each generator depends on
set(newer ${CMAKE_BINARY_DIR}/generated/icd/vulkan_newer.h ${CMAKE_BINARY_DIR}/generated/runtime/format/newer_formats.h)
add_custom_command(
  OUTPUT ${newer}
  COMMAND Python3::Interpreter ${ETZEL_DISPATCH}/gen_newer.py ${ETZEL_VULKAN_REGISTRY} ${ETZEL_DISPATCH}/extensions.txt ${newer}
  DEPENDS ${ETZEL_DISPATCH}/gen_newer.py ${ETZEL_REGISTRY_FILES}
  VERBATIM)
add_custom_target(etzel_newer DEPENDS ${newer})
