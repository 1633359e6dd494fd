// What modules for the GPU have more of if an option asks for it, and nobody else's have.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "codegen/emit.h"
#include "compiler/compiled.h"
#include "ir/text_parser.h"

using namespace cohort;

namespace {

constexpr std::string_view kProducts = R"(module m
state @w : f32[512,512] = 0
state @few : f32[64,64] = 0
func large(%x: f32[512,512]) {
  %y : f32[512,512] = matmul(%x, @w)
  output y = %y
}
func active(%x: f32[512,512]) {
  %m : f32[512,512] = matmul(%x, @w)
  %y : f32[512,512] = tanh(%m)
  output y = %y
}
func small(%x: f32[64,64]) {
  %y : f32[64,64] = matmul(%x, @few)
  output y = %y
}
)";

CompileOptions on_gpu() {
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  return options;
}
std::vector<Artefact> emit(std::string_view text, const CompileOptions& options) {
  return emit_module(compile(parse_text(text, "graph.txt"), options), {});
}
std::string file(const std::vector<Artefact>& files, const std::string& name) {
  for (const Artefact& artefact : files)
    if (artefact.name == name) return artefact.bytes;
  FAIL("no artefact " << name);
  return {};
}
std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace

TEST_CASE("--blas=cublas: products from a size on are the library's, which only such modules name") {
  CompileOptions options = on_gpu();
  const std::vector<Artefact> plain = emit(kProducts, options);
  for (const Artefact& artefact : plain) {
    INFO(artefact.name);
    CHECK(count(artefact.bytes, "blas") == 0);
  }
  CHECK(count(file(plain, "m_kernels.cu"), "rt_launch_gemm(") == 2);
  options.blas = BlasLibrary::kCublas;
  const std::vector<Artefact> files = emit(kProducts, options);
  const std::string kernels = file(files, "m_kernels.cu");
  CHECK(count(kernels, "rt_launch_gemm(") == 1);
  CHECK(count(kernels, "rt_launch_gemm_blas(") == 2);
  CHECK(count(kernels, "rt_gemm_tiles(") == 0);  // nothing is fused with what the library computes
  CHECK(count(kernels, "#include \"cohort/cuda_blas.h\"") == 1);
  CHECK(count(file(files, "m.cmake"), "CUDA::cublas") == 1);
  CHECK(count(file(files, "m.pc"), "-lcublas") == 1);
  const auto before = nlohmann::json::parse(file(plain, "m.manifest.json"));
  const auto manifest = nlohmann::json::parse(file(files, "m.manifest.json"));
  CHECK(manifest["device"]["blas"] == "cublas");
  CHECK(manifest["device"]["bytes"].get<std::uint64_t>() >=
        before["device"]["bytes"].get<std::uint64_t>() + kBlasBytes);
  options.device.gpu.blas_flops = 1e12;  // none is so large
  const std::vector<Artefact> none = emit(kProducts, options);
  REQUIRE(none.size() == plain.size());
  for (std::size_t k = 0; k < none.size(); ++k) CHECK(none[k].bytes == plain[k].bytes);
}

TEST_CASE(
    "large inputs and outputs cross beside kernels that do not touch them, which only such modules name") {
  constexpr std::string_view kCrossing = R"(module m
func f(%a: f32[64,64], %b: f32[64,64]) {
  %s = reduce_sum(%a) {axes = [0]}
  %p = mul(%a, %s)
  %r = reduce_sum(%p) {axes = [1], keepdims = true}
  %q = sub(%b, %r)
  %t = reduce_sum(%q) {axes = [0]}
  output p = %p
  output q = %q
  output t = %t
}
)";
  CompileOptions options = on_gpu();
  for (const Artefact& artefact : emit(kCrossing, options)) {
    INFO(artefact.name);
    CHECK(count(artefact.bytes, "aside") == 0);
    CHECK(count(artefact.bytes, "rt_joined") == 0);
  }
  options.device.gpu.aside_bytes = 64 * 64 * 4;
  options.cuda_graph = true;
  const CompiledModule compiled = compile(parse_text(kCrossing, "graph.txt"), options);
  const CompiledFunction& f = compiled.functions[0];
  const auto name = [&](const AsideTransfer& aside) {
    return f.program.buffers[f.program.kernels[aside.kernel].body[0].buffers[0]].name;
  };
  REQUIRE(f.asides.size() == 3);  // the first kernel reads a, the last one writes t
  CHECK(name(f.asides[0]) == "b");
  CHECK_FALSE(f.asides[0].after.has_value());
  for (const std::size_t k : {1, 2}) {
    CHECK(name(f.asides[k]) == (k == 1 ? "p" : "q"));
    REQUIRE(f.asides[k].after.has_value());
    CHECK(f.program.kernels[*f.asides[k].after].device == kernel::Device::kGpu);
  }
  const std::vector<Artefact> files = emit_module(compiled, {});
  const std::string code = file(files, "m.cpp"), kernels = file(files, "m_kernels.cu");
  for (const char* call : {"rt_fork(", "rt_send_aside(", "rt_joined("}) CHECK(count(code, call) == 1);
  for (const char* call : {"rt_mark_event(", "rt_fetch_aside("}) CHECK(count(code, call) == 2);
  CHECK(code.find("rt_joined(") > code.find("static int32_t m_f_run("));  // both streams are captured
  CHECK(count(code, ".events = 3,") == 1);
  CHECK(count(kernels, "nullptr, &rt_cuda_aside);") == 1);
  options.device.gpu.aside_bytes += 1;
  CHECK(compile(parse_text(kCrossing, "graph.txt"), options).functions[0].asides.empty());
}
