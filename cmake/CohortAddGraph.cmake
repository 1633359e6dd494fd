# cohort_add_graph(<target> [GRAPH] <file.json>
#                  [PREFIX <identifier>]            of symbols and files; default: the graph file's name
#                  [OUTPUT_DIRECTORY <folder>]      default: <target>.cohort in the current binary folder
#                  [SHARDS <n>]                     number of C++ sources, compiled side by side; default 1
#                  [THREADS on|off|openmp]          large loops: shared through a hook; never; through OpenMP, too
#                  [DEVICE cpu|cuda]                cuda: kernels may run on a GPU; the project has the language CUDA,
#                                                   and CMAKE_CUDA_ARCHITECTURES says for which machines
#                  [BLAS none|cublas]               cublas: large products on the GPU are calls of cuBLAS, which is linked
#                  [OPTIONS <option>...])           further options of `cohort compile`
#
# The static library <target> from a graph: link it and include <prefix>.h. The graph is compiled again when it, a tensor
# file it names or the tool has changed. COHORT_EXECUTABLE names the tool where the one of this package does not run on
# the machine that builds (cross-compiling).
include_guard()
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

# Products and mathematical functions want fused multiply-add and wide vectors, which a compiler's default instruction set
# often lacks: without them they are right and slow.
set(COHORT_ARCH "native" CACHE STRING "-march for emitted sources; empty: the compiler's default, as when cross-compiling")
set(COHORT_EXECUTABLE "" CACHE FILEPATH "cohort for the machine that builds; empty: the package's own")

function(cohort_add_graph target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "GRAPH;PREFIX;OUTPUT_DIRECTORY;SHARDS;THREADS;DEVICE;BLAS" "OPTIONS")
  if(NOT arg_GRAPH AND arg_UNPARSED_ARGUMENTS)
    list(POP_FRONT arg_UNPARSED_ARGUMENTS arg_GRAPH)
  endif()
  if(NOT arg_GRAPH)
    message(FATAL_ERROR "cohort_add_graph(${target}) needs a graph file")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cohort_add_graph(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_PREFIX)
    cmake_path(GET arg_GRAPH STEM LAST_ONLY stem)
    string(MAKE_C_IDENTIFIER "${stem}" arg_PREFIX)
  endif()
  if(NOT arg_PREFIX MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "cohort_add_graph(${target}): `${arg_PREFIX}` is no identifier: give one as PREFIX")
  endif()
  if(NOT arg_THREADS)
    set(arg_THREADS on)
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY ${target}.cohort)
  endif()
  cmake_path(ABSOLUTE_PATH arg_OUTPUT_DIRECTORY BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  cmake_path(ABSOLUTE_PATH arg_GRAPH BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  # What the tool is given is relative, so that depfiles hold no path of this machine.
  cmake_path(RELATIVE_PATH arg_GRAPH BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" OUTPUT_VARIABLE graph)
  cmake_path(RELATIVE_PATH arg_OUTPUT_DIRECTORY BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" OUTPUT_VARIABLE folder)

  set(base "${arg_OUTPUT_DIRECTORY}/${arg_PREFIX}")
  set(sources "${base}.cpp")
  math(EXPR last "${arg_SHARDS} - 1")
  if(last GREATER 0)
    foreach(shard RANGE 1 ${last})
      list(APPEND sources "${base}_${shard}.cpp")
    endforeach()
  endif()
  set(device_file "")
  if(arg_DEVICE STREQUAL "cuda")
    if(NOT CMAKE_CUDA_COMPILER)
      message(FATAL_ERROR "cohort_add_graph(${target}): DEVICE cuda needs the language: project(... LANGUAGES CXX CUDA)")
    endif()
    set(device_file "${base}_kernels.cu")
    list(APPEND arg_OPTIONS --target=cuda)
    if(arg_BLAS)
      list(APPEND arg_OPTIONS --blas=${arg_BLAS})
    endif()
    # A module with nothing on the GPU has no such file, which CMake cannot know: it is empty then.
    set(touch_device_file COMMAND ${CMAKE_COMMAND} -E touch "${device_file}")
  endif()
  if(COHORT_EXECUTABLE)
    set(tool "${COHORT_EXECUTABLE}")
  else()
    set(tool Cohort::cohort)
  endif()
  add_custom_command(
    OUTPUT "${base}.stamp"
    BYPRODUCTS ${sources} ${device_file} "${base}.h" "${base}.hpp" "${base}.manifest.json"
    COMMAND ${tool} compile "${graph}" -o "${folder}" --prefix ${arg_PREFIX} --shards ${arg_SHARDS} --threads=${arg_THREADS} ${arg_OPTIONS}
    ${touch_device_file}
    DEPENDS "${arg_GRAPH}" ${tool}
    DEPFILE "${base}.d"
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    COMMENT "Compiling graph ${arg_PREFIX}"
    VERBATIM)
  add_custom_target(${target}_graph DEPENDS "${base}.stamp")
  add_library(${target} STATIC ${sources} ${device_file})
  add_dependencies(${target} ${target}_graph)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${arg_OUTPUT_DIRECTORY}>")
  target_link_libraries(${target} PUBLIC Cohort::runtime)
  target_compile_features(${target} PUBLIC cxx_std_20)  # NAME.hpp needs it, too
  set(flags -ffp-contract=off -fno-math-errno -fno-trapping-math $<$<CXX_COMPILER_ID:Clang>:-mprefer-vector-width=512>)
  if(COHORT_ARCH AND NOT CMAKE_CROSSCOMPILING)
    list(APPEND flags -march=${COHORT_ARCH})
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${flags}>")
  if(device_file)
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(${target} PUBLIC CUDA::cudart_static)
    if(arg_BLAS STREQUAL "cublas")
      target_link_libraries(${target} PUBLIC CUDA::cublas)
    endif()
    target_compile_options(
      ${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-expt-relaxed-constexpr;-diag-suppress=39,1675;-lineinfo>")
    set_target_properties(${target} PROPERTIES CUDA_STANDARD 20)
  endif()
  if(arg_THREADS STREQUAL "openmp")
    find_package(OpenMP REQUIRED COMPONENTS CXX)
    target_link_libraries(${target} PUBLIC OpenMP::OpenMP_CXX)
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

cmake_policy(POP)
