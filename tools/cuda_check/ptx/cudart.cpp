// Stands in for libcudart: what nvcc's host code calls to register device code and to launch it. The PTX lies
// uncompressed in the fat binary (nvcc --compress-mode=none).
#include <cstring>
#include <unordered_map>

#include "../src/access.h"
#include "../src/arguments.h"
#include "../src/launch.h"
#include "../src/memory.h"
#include "../src/report.h"
#include "../src/shared_memory.h"
#include "frame.h"

namespace cuda_check::ptx {
namespace {

struct Program {
  Module module;
  std::vector<const unsigned char*> unread;                // fat binaries
  std::unordered_map<const void*, std::string> kernels;    // by the address of the host's stub
  std::unordered_map<const void*, std::string> variables;  // by the address of the host's shadow
};
Program& recorded() {
  static Program& p = *new Program;  // never destroyed: reports at exit name kernels
  return p;
}

struct Launch {
  const Function* function;
  alignas(16) unsigned char parameters[kMostParameterBytes];
};

void thunk(const void* launch) {
  auto* l = static_cast<const Launch*>(launch);
  // A function's own .param variables lie behind its parameters, so each thread has a copy.
  alignas(16) unsigned char parameters[kMostParameterBytes];
  std::memcpy(parameters, l->parameters, l->function->parameter_bytes);
  run(*l->function, parameters);
}

// Entries of a fat binary: kind 1 is PTX. The header says where the text starts and how long the entry is.
void load_fat_binary(const unsigned char* binary) {
  uint64_t bytes;
  uint16_t header;
  std::memcpy(&header, binary + 6, sizeof header);
  std::memcpy(&bytes, binary + 8, sizeof bytes);
  for (const unsigned char *at = binary + header, *end = at + bytes; at < end;) {
    uint16_t kind;
    uint32_t start;
    uint64_t payload;
    std::memcpy(&kind, at, sizeof kind);
    std::memcpy(&start, at + 4, sizeof start);
    std::memcpy(&payload, at + 8, sizeof payload);
    const char* text = reinterpret_cast<const char*>(at + start);
    if (kind == 1) {
      if (!std::memchr(text, '.', 64)) unsupported("compressed PTX: build with nvcc --compress-mode=none");
      parse(std::string(text, strnlen(text, payload)), recorded().module);
    }
    at += start + payload;
  }
}

// The program with its PTX read. Registration comes before static objects are made, so it only records.
Program& program() {
  Program& p = recorded();
  while (!p.unread.empty()) {
    load_fat_binary(p.unread.back());
    p.unread.pop_back();
  }
  return p;
}

cudaError_t launch_function(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                            cudaStream_t stream) {
  Program& p = program();
  auto found = p.module.functions.find(p.kernels[stub]);
  if (found == p.module.functions.end()) unsupported("a launch of a kernel without PTX");
  const Function& function = *found->second;
  if (cudaError_t e = check_launch(stub, grid, block, shared)) return e;
  uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (function.most_threads && threads > function.most_threads) return cudaErrorInvalidValue;
  auto* l = static_cast<Launch*>(new_arguments(sizeof(Launch)));
  l->function = &function;
  for (size_t k = 0; k < function.parameters.size(); k++) {
    std::memcpy(l->parameters + function.parameters[k].offset, arguments[k], function.parameters[k].bytes);
  }
  return launch({function.name.c_str(), thunk, l, sizeof *l, grid, block, function.shared_bytes + shared},
                stream);
}

struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
Configuration& pushed() {
  static Configuration c;
  return c;
}

}  // namespace
}  // namespace cuda_check::ptx

using namespace cuda_check;
using namespace cuda_check::ptx;

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper) {
  const unsigned char* binary;
  std::memcpy(&binary, static_cast<char*>(wrapper) + 8, sizeof binary);
  recorded().unread.push_back(binary);
  watch_values(true);
  static void* handle;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
  recorded().kernels[stub] = name;
}
void __cudaRegisterVar(void**, char* shadow, char*, const char* name, int, size_t, int, int) {
  recorded().variables[shadow] = name;
}

cudaError_t __cudaGetKernel(const void** kernel, const void* stub) {
  *kernel = stub;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  return launch_function(stub, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* stub, void** arguments) {
  return launch_function(stub, c->gridDim, c->blockDim, arguments, c->dynamicSmemBytes, c->stream);
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  pushed() = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  *grid = pushed().grid;
  *block = pushed().block;
  *shared = pushed().shared;
  std::memcpy(stream, &pushed().stream, sizeof(cudaStream_t));
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** p, size_t bytes) { return cuda_check_malloc(p, bytes); }
cudaError_t cudaMallocAsync(void** p, size_t bytes, cudaStream_t) { return cuda_check_malloc(p, bytes); }
cudaError_t cudaMallocHost(void** p, size_t bytes) { return cuda_check_malloc_host(p, bytes); }
cudaError_t cudaHostAlloc(void** p, size_t bytes, unsigned) { return cuda_check_malloc_host(p, bytes); }
cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute attribute, int value) {
  return attribute == cudaFuncAttributeMaxDynamicSharedMemorySize ? cuda_check_allow_shared_bytes(stub, value)
                                                                  : cudaSuccess;
}
cudaError_t cudaMemcpyToSymbol(const void* shadow, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind) {
  Program& p = program();
  auto found = p.module.variables.find(p.variables[shadow]);
  if (found == p.module.variables.end() || offset + bytes > found->second.bytes) return cudaErrorInvalidValue;
  OpenMemory open;
  return cuda_check_copy_to_symbol(found->second.address, from, bytes, offset);
}
}
