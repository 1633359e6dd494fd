// The weights: constants and initial values as one block of bytes, inline as words or taken in by the
// assembler.
#include <fmt/format.h>

#include <cstring>

#include "codegen/emit_files.h"
#include "codegen/text.h"
#include "ir/diagnostics.h"
#include "ir/sha256.h"

namespace cohort {

namespace {

void place(std::string& bytes, std::uint64_t offset, const Tensor& data) {
  if (data.bytes() == 0) return;
  require(offset + static_cast<std::uint64_t>(data.bytes()) <= bytes.size(),
          "weights beyond their planned size");
  std::memcpy(bytes.data() + offset, data.data(), static_cast<std::size_t>(data.bytes()));
}

// What lies at which offset, for readers of the source.
std::string contents(const EmitContext& context) {
  const Module& module = context.module();
  std::string text;
  for (const WeightEntry& entry : context.compiled.weights) {
    const Constant& constant = module.constants[entry.constant];
    text += fmt::format("// {:>6}: {} {}\n", entry.offset, type_comment(constant.type, module.dims),
                        constant.name.empty() ? "constant" : comment_text(constant.name));
  }
  for (std::size_t s = 0; s < module.states.size(); ++s) {
    const std::uint64_t offset = context.compiled.states[s].init_offset;
    if (offset == kZeros) continue;
    text +=
        fmt::format("// {:>6}: {} {}, initially\n", offset, type_comment(module.states[s].type, module.dims),
                    comment_text(module.states[s].name));
  }
  if (!context.lists_states())
    text +=
        fmt::format("// {:>6}: {} state variables by name\n", context.state_directory, module.states.size());
  return text;
}

std::string words(const std::string& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && at + k < bytes.size(); ++k)
      word |= std::uint64_t{static_cast<unsigned char>(bytes[at + k])} << (8 * k);
    text += at % 32 == 0 ? (at ? "\n    " : "    ") : " ";
    text += fmt::format("0x{:016x},", word);
  }
  return text + "\n";
}

}  // namespace

std::string weight_bytes(const CompiledModule& compiled) {
  std::string bytes(compiled.weights_bytes, '\0');
  for (const WeightEntry& entry : compiled.weights)
    place(bytes, entry.offset, compiled.module.constants[entry.constant].data);
  for (std::size_t s = 0; s < compiled.states.size(); ++s)
    if (compiled.states[s].init_offset != kZeros)
      place(bytes, compiled.states[s].init_offset, compiled.module.states[s].init);
  return bytes;
}

std::string emit_weights(const EmitContext& context, bool hidden) {
  const std::string symbol = context.names.prefix + "_weights";
  if (context.weights.empty()) return {};
  if (!context.external_weights) {
    const std::string array = fmt::format("const uint64_t {}[{}]", symbol, (context.weights.size() + 7) / 8);
    const std::string declared = hidden ? fmt::format("extern \"C\" RT_HIDDEN {};\n", array) : "";
    return contents(context) + fmt::format("{}alignas(64) {}{} = {{\n{}}};\n", declared,
                                           hidden ? "" : "static ", array, words(context.weights));
  }
  // The hash makes new weights new text, so that every build system compiles this file again.
  return fmt::format(
      "// {} bytes of {}, SHA-256 {}\n"
      "__asm__(\n"
      "    \".pushsection .rodata.{}, \\\"a\\\", %progbits\\n\"\n"
      "    \".balign 64\\n\"\n"
      "    \".globl {}\\n\"\n"
      "    \".hidden {}\\n\"\n"
      "    \"{}:\\n\"\n"
      "    \".incbin \\\"{}\\\"\\n\"\n"
      "    \".popsection\\n\");\n"
      "extern \"C\" RT_HIDDEN const unsigned char {}[];\n",
      context.weights.size(),
      context.lists_states() ? "constants and initial values" : "constants, initial values and state by name",
      sha256_hex(context.weights), symbol, symbol, symbol, symbol, context.weights_file(), symbol);
}

}  // namespace cohort
