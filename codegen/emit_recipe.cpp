// NAME.cmake and NAME.pc: how to compile and link the module. Relative paths only.
#include <fmt/format.h>

#include "codegen/emit_files.h"
#include "codegen/recipe.h"

namespace cohort {

std::string emit_cmake(const EmitContext& context) {
  const std::string& prefix = context.names.prefix;
  std::string sources, flags;
  for (const std::string& source : context.sources)
    sources += fmt::format(" \"${{CMAKE_CURRENT_LIST_DIR}}/{}\"", source);
  for (const std::string_view flag : kRecipeFlags)
    if (!flag.starts_with("-std"))
      flags += context.uses_device() ? fmt::format(" $<$<COMPILE_LANGUAGE:CXX>:{}>", flag)
                                     : fmt::format(" {}", flag);
  std::string text = fmt::format(
      "# The static library `{0}` from the emitted sources: include() this file where Cohort::runtime is "
      "known,\n"
      "# through find_package(Cohort).\n"
      "add_library({0} STATIC{1})\n"
      "target_include_directories({0} PUBLIC \"${{CMAKE_CURRENT_LIST_DIR}}\")\n"
      "target_link_libraries({0} PUBLIC Cohort::runtime)\n"
      "target_compile_features({0} PRIVATE cxx_std_20)\n"
      "target_compile_options({0} PRIVATE{2})\n",
      prefix, sources, flags);
  if (context.uses_device()) {
    std::string device_flags;
    for (const std::string_view flag : kDeviceFlags)
      if (!flag.starts_with("-std") && !flag.starts_with("-O")) device_flags += fmt::format(";{}", flag);
    std::string archs;
    for (const std::string_view arch : kDeviceArchitectures) archs += fmt::format("{}-real;", arch);
    text += fmt::format(
        "enable_language(CUDA)\nfind_package(CUDAToolkit REQUIRED)\n"
        "target_sources({0} PRIVATE \"${{CMAKE_CURRENT_LIST_DIR}}/{1}\")\n"
        "target_link_libraries({0} PUBLIC CUDA::cudart_static{5})\n"
        "set_source_files_properties(\"${{CMAKE_CURRENT_LIST_DIR}}/{1}\" PROPERTIES COMPILE_OPTIONS "
        "\"{2}\")\n"
        "set_target_properties({0} PROPERTIES CUDA_ARCHITECTURES \"{3}{4}-virtual\" CUDA_STANDARD 20)\n",
        prefix, context.device_file(), device_flags.substr(1), archs, kDeviceArchitectures.back(),
        context.compiled.device_blas > 0 ? " CUDA::cublas" : "");
  }
  if (context.external_weights) {
    text += fmt::format(
        "set_property(SOURCE \"${{CMAKE_CURRENT_LIST_DIR}}/{}\" APPEND PROPERTY OBJECT_DEPENDS "
        "\"${{CMAKE_CURRENT_LIST_DIR}}/{}\")\n",
        context.sources[0], context.weights_file());
  }
  return text;
}

std::string emit_pkg_config(const EmitContext& context) {
  const std::string& prefix = context.names.prefix;
  return fmt::format(
      "prefix=${{pcfiledir}}\n\nName: {0}\nDescription: a module compiled by Cohort\nVersion: {1}\n"
      "Cflags: -I${{prefix}}\nLibs: -L${{prefix}} -l{0}\n{2}",
      prefix, 1, context.compiled.device_blas > 0 ? "Libs.private: -lcublas\n" : "");
}

}  // namespace cohort
