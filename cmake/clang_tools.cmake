# The shared object of codegen/clang: what cohort does with clang's libraries. They are one shared library each, so
# that linking takes a second; cohort loads them when a graph needs them, for loading takes ten times as long as
# cohort itself.
include_guard()

# Clang's libraries are not built with sanitizers, and containers that both sides touch would be reported.
if(NOT COHORT_CLANG OR COHORT_SANITIZE)
  set(COHORT_CLANG OFF)
  return()
endif()

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codegen/clang/*.cpp)
# Errors and types of ours; the rooms are not compiled for shared objects.
foreach(source diagnostics scalar_op scalar_array scalar_math scalar_math_parts scalar_math_quantile scalar_math_special
               scalar_math_tails tensor type)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/ir/${source}.cpp)
endforeach()
add_library(cohort_clang SHARED ${sources})
target_include_directories(cohort_clang PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(cohort_clang SYSTEM PRIVATE ${CLANG_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
# Clang's headers take longer than all that is ours, so they are parsed once, whatever COHORT_UNITY says.
cohort_unity(cohort_clang 32)
set_target_properties(cohort_clang PROPERTIES UNITY_BUILD ON)
target_link_libraries(cohort_clang PRIVATE fmt::fmt clang-cpp LLVM)
cohort_compile_options(cohort_clang)
# As LLVM itself is compiled; classes of ours that derive from its own need it.
target_compile_options(cohort_clang PRIVATE -fno-rtti -Wno-nonnull)
set_target_properties(cohort_clang PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON
                                              CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                              LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tools/cohort)
