// SHA-256 (FIPS 180-4), for the hashes of weight files and digests of large tensors.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cohort {

class Sha256 {
 public:
  void add(const void* bytes, std::size_t count);
  // 64 lower-case hexadecimal digits; the object is used up.
  std::string hex();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t total_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace cohort
