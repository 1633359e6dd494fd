// Typed launches. The arguments are copied into memory that the kernel may read and not write; a thunk calls
// the kernel with them, once for each thread. (`kernel<<<grid, block>>>(...)` is not C++: emitted code calls
// cudaLaunchKernelEx.)
#pragma once
#include "runtime_api.h"

extern "C" {
void* cuda_check_arguments(size_t bytes);
cudaError_t cuda_check_launch(const void* kernel, void (*thunk)(const void*), void* arguments, size_t bytes,
                              dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream);
}

template <class T>
struct CudaCheckValue {
  using type = T;
};
template <class T>
struct CudaCheckValue<const T> {
  using type = T;
};
template <class... T>
struct CudaCheckArguments {};
template <class First, class... Rest>
struct CudaCheckArguments<First, Rest...> {
  typename CudaCheckValue<First>::type first;
  CudaCheckArguments<Rest...> rest;
};
template <class... P>
struct CudaCheckCall {
  void (*kernel)(P...);
  CudaCheckArguments<P...> arguments;
};

template <class... P, class... Bound>
inline void cuda_check_apply(void (*kernel)(P...), const CudaCheckArguments<>&, const Bound&... bound) {
  kernel(bound...);
}
template <class... P, class First, class... Rest, class... Bound>
inline void cuda_check_apply(void (*kernel)(P...), const CudaCheckArguments<First, Rest...>& a,
                             const Bound&... bound) {
  cuda_check_apply(kernel, a.rest, bound..., a.first);
}
template <class... P>
void cuda_check_thunk(const void* call) {
  auto* c = static_cast<const CudaCheckCall<P...>*>(call);
  cuda_check_apply(c->kernel, c->arguments);
}

inline CudaCheckArguments<> cuda_check_pack(CudaCheckArguments<>*) { return {}; }
template <class First, class... Rest, class A, class... B>
inline CudaCheckArguments<First, Rest...> cuda_check_pack(CudaCheckArguments<First, Rest...>*, A&& a,
                                                          B&&... b) {
  return {a, cuda_check_pack(static_cast<CudaCheckArguments<Rest...>*>(nullptr), static_cast<B&&>(b)...)};
}
inline CudaCheckArguments<> cuda_check_unpack(CudaCheckArguments<>*, void**) { return {}; }
template <class First, class... Rest>
inline CudaCheckArguments<First, Rest...> cuda_check_unpack(CudaCheckArguments<First, Rest...>*,
                                                            void** args) {
  return {*static_cast<First*>(*args),
          cuda_check_unpack(static_cast<CudaCheckArguments<Rest...>*>(nullptr), args + 1)};
}
template <class... P>
inline cudaError_t cuda_check_start(void (*kernel)(P...), const CudaCheckArguments<P...>& arguments,
                                    dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  const CudaCheckCall<P...> call{kernel, arguments};
  static_assert(__is_trivially_copyable(CudaCheckCall<P...>), "kernel parameters are plain values");
  void* place = cuda_check_arguments(sizeof call);
  __builtin_memcpy(place, &call, sizeof call);
  return cuda_check_launch((const void*)kernel, &cuda_check_thunk<P...>, place, sizeof call, grid, block,
                           shared_bytes, stream);
}

template <class... P, class... A>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                                      A&&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "as many arguments as the kernel has parameters");
  return cuda_check_start(
      kernel,
      cuda_check_pack(static_cast<CudaCheckArguments<P...>*>(nullptr), static_cast<A&&>(arguments)...),
      config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
}
template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                    size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cuda_check_start(kernel,
                          cuda_check_unpack(static_cast<CudaCheckArguments<P...>*>(nullptr), arguments), grid,
                          block, shared_bytes, stream);
}
