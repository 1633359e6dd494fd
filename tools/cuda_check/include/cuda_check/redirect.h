// Included before all else (-include). g++ does not instrument calls of these functions, and makes such calls
// itself for copies of structs; giving them another name in the object lets the checker see the bytes they
// touch. clang's instrumentation calls __tsan_memcpy and its kin by itself.
#pragma once
#if !defined(__clang__)
#include <stddef.h>
extern "C" {
void* memcpy(void* to, const void* from, size_t bytes) noexcept __asm__("cuda_check_memcpy");
void* memmove(void* to, const void* from, size_t bytes) noexcept __asm__("cuda_check_memmove");
void* memset(void* to, int value, size_t bytes) noexcept __asm__("cuda_check_memset");
}
#endif
