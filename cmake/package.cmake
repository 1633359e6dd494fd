# What an installed Cohort consists of: the tool, the runtime's headers, the CMake package.
include_guard()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Cohort)
set_target_properties(cohort_runtime PROPERTIES EXPORT_NAME runtime)
install(TARGETS cohort cohort_runtime EXPORT CohortTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(COHORT_CLANG)
  install(TARGETS cohort_clang LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cohort)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/cohort DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT CohortTargets NAMESPACE Cohort:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/CohortConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/CohortConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CohortConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CohortConfig.cmake ${PROJECT_BINARY_DIR}/CohortConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/CohortAddGraph.cmake
        DESTINATION ${package_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/cohort)

# The same names where Cohort is a part of another project (add_subdirectory, FetchContent).
add_executable(Cohort::cohort ALIAS cohort)
include(${PROJECT_SOURCE_DIR}/cmake/CohortAddGraph.cmake)
