// On a GPU of another architecture than the module's `attach` says so, and nothing is left behind. Runs under
// tools/cuda_check with CUDA_CHECK_NO_CODE=1.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda_check/calls.h"
#include "model.h"

int main() {
  void* workspace = std::aligned_alloc(MODEL_WORKSPACE_ALIGN, (MODEL_WORKSPACE_SIZE + 63) / 64 * 64);
  char text[300] = "";
  bool good = model_init(workspace, MODEL_WORKSPACE_SIZE) == COHORT_OK;
  good = good && model_attach(workspace, nullptr, 0, nullptr) == COHORT_NO_DEVICE;
  model_error_text(workspace, text, sizeof text);
  std::printf("%s\n", text);
  good = good &&
         std::strcmp(text,
                     "`attach`: its code is for the architectures unknown to it, and this GPU's is 900") == 0;
  good = good && cuda_check_called()->allocations == 0 && cudaGetLastError() == cudaSuccess;
  model_step_args args = {};
  args.struct_size = sizeof args;
  float x[400] = {}, p[400];
  args.x = x;
  args.p = p;
  args.x_bytes = args.p_bytes = sizeof x;
  good = good && model_step(workspace, &args) == COHORT_NO_DEVICE;
  std::free(workspace);
  return good ? 0 : 1;
}
