# One static library per room. A room may include what stands below it and nothing else; tools/check_layers checks it.
include_guard()

option(COHORT_UNITY "Compile several sources of a target as one, where it shortens the build" ON)

# cohort_unity(TARGET BATCH): compiles BATCH sources at a time, each header and each template once for all of them.
# What anonymous namespaces of the target hold must differ in name, therefore.
function(cohort_unity target batch)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${COHORT_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
  # GCC takes what a unit includes for headers, whose types should not hold what has no name outside.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# cohort_compile_options(TARGET): warnings and sanitizers, the same for every target of ours.
function(cohort_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                         $<$<BOOL:${COHORT_WERROR}>:-Werror> -ffp-contract=off
                         # What GCC 12 concludes from flow through std::string and std::variant is often not
                         # there (GCC bugs 105651, 80635, 105329).
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow
                                                  -Wno-stringop-overread -Wno-array-bounds>)
  if(COHORT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${COHORT_SANITIZE} -fno-omit-frame-pointer
                           -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${COHORT_SANITIZE})
  endif()
endfunction()

# cohort_room(NAME [BELOW]): library cohort_NAME from every source under NAME/.
function(cohort_room name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/codegen/clang/")  # a library of its own: cmake/clang_tools.cmake
  add_library(cohort_${name} STATIC ${sources})
  target_include_directories(cohort_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(cohort_${name} PUBLIC fmt::fmt nlohmann_json::nlohmann_json)
  cohort_compile_options(cohort_${name})
  if(COHORT_SANITIZE)
    # Questions before every access, which double the code; ASan answers most of them.
    target_compile_options(cohort_${name} PRIVATE -fno-sanitize=null,vptr,object-size,alignment)
  endif()
  # Not the operators, each of which has an `infer` and an `evaluate`.
  cohort_unity(cohort_${name} 8)
  file(GLOB operators ${PROJECT_SOURCE_DIR}/${name}/ops/*.cpp)
  set_source_files_properties(${operators} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # What nearly every source includes, parsed once, by the lowest room: a third of the build's time.
  if(ARGN)
    target_precompile_headers(cohort_${name} REUSE_FROM cohort_ir)
  else()
    target_precompile_headers(cohort_${name} PRIVATE <algorithm> <cstdint> <functional> <map> <memory> <optional> <span>
                              <string> <string_view> <unordered_map> <variant> <vector> <fmt/format.h>)
  endif()
  foreach(below IN LISTS ARGN)
    target_link_libraries(cohort_${name} PUBLIC cohort_${below})
  endforeach()
endfunction()
