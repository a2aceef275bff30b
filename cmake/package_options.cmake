# What the packages have of their own; CPack reads this once for each (CPACK_PROJECT_CONFIG_FILE).
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX /)  # everything directly in the archive's one folder
endif()
