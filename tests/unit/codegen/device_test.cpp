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
  CHECK(count(kernels, "rt_launch_gemm_blas(") == 1);
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
