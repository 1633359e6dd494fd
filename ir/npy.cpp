#include <array>
#include <cstring>

#include "ir/diagnostics.h"
#include "ir/number_text.h"
#include "ir/tensor_checks.h"
#include "ir/tensor_files.h"

namespace cohort {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  DType dtype = DType::kF64;
  bool fortran = false;
  Extents extents;
};

// Reads the header, a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Header parse() {
    expect('{');
    bool has_descr = false, has_order = false, has_shape = false;
    while (!accept('}')) {
      std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !has_descr) {
        header_.dtype = dtype(descr());
        has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        header_.fortran = boolean();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        shape();
        has_shape = true;
      } else {
        fail_tensor_file(file_, "npy", "its header has an unexpected key");
      }
      if (!accept(',') && !(skip(), at_ < text_.size() && text_[at_] == '}')) malformed();
    }
    skip();
    if (at_ != text_.size() || !has_descr || !has_order || !has_shape) malformed();
    return header_;
  }

 private:
  [[noreturn]] void malformed() const { fail_tensor_file(file_, "npy", "its header is malformed"); }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed();
  }
  std::string_view quoted() {
    expect('\'');
    std::size_t end = text_.find('\'', at_);
    if (end == text_.npos) malformed();
    std::string_view word = text_.substr(at_, end - at_);
    at_ = end + 1;
    return word;
  }
  std::string_view descr() {
    skip();
    if (at_ < text_.size() && text_[at_] == '[')
      fail_tensor_file(file_, "npy", "its elements are structured");
    return quoted();
  }
  bool boolean() {
    skip();
    for (std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    malformed();
  }
  void shape() {
    expect('(');
    while (!accept(')')) {
      skip();
      std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      std::optional<std::int64_t> extent = parse_int64(text_.substr(at_, end - at_));
      if (!extent) malformed();
      header_.extents.push_back(*extent);
      at_ = end;
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }
  DType dtype(std::string_view descr) const {
    static constexpr std::array<std::pair<std::string_view, DType>, kDTypeCount> kCodes{
        {{"b1", DType::kBool},
         {"i1", DType::kI8},
         {"i2", DType::kI16},
         {"i4", DType::kI32},
         {"i8", DType::kI64},
         {"u1", DType::kU8},
         {"u2", DType::kU16},
         {"u4", DType::kU32},
         {"u8", DType::kU64},
         {"f2", DType::kF16},
         {"V2", DType::kBF16},
         {"f4", DType::kF32},
         {"f8", DType::kF64}}};
    std::string_view code = descr.empty() ? descr : descr.substr(1);
    for (const auto& [name, dtype] : kCodes) {
      if (code != name) continue;
      if (descr.front() == '>') fail_tensor_file(file_, "npy", "its elements are big-endian");
      bool has_order = dtype_bytes(dtype) == 1 || dtype == DType::kBF16;
      if (descr.front() == '<' || (descr.front() == '|' && has_order)) return dtype;
    }
    fail_tensor_file(file_, "npy", fmt::format("no dtype of ours is like its `{}`", printable(descr)));
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  Header header_;
};

// Elements of Fortran order to row-major order.
Tensor from_fortran(const Tensor& stored) {
  Tensor result(stored.dtype(), stored.extents());
  const auto width = static_cast<std::size_t>(dtype_bytes(stored.dtype()));
  const Extents& extents = stored.extents();
  const int rank = stored.rank();
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (int axis = 1; axis < rank; ++axis) strides[axis] = strides[axis - 1] * extents[axis - 1];
  std::vector<std::int64_t> index(extents.size(), 0);
  std::byte* to = result.mutable_data();
  std::int64_t from = 0;
  for (std::int64_t i = 0; i < stored.size(); ++i, to += width) {
    std::memcpy(to, stored.data() + from * static_cast<std::int64_t>(width), width);
    for (int axis = rank - 1; axis >= 0; --axis) {
      from += strides[axis];
      if (++index[axis] < extents[axis]) break;
      from -= strides[axis] * extents[axis];
      index[axis] = 0;
    }
  }
  return result;
}

std::string_view descr_of(DType dtype) {
  static constexpr std::array<std::string_view, kDTypeCount> kDescr{
      "|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<V2", "<f4", "<f8"};
  return kDescr[static_cast<std::size_t>(dtype)];
}

}  // namespace

Tensor read_npy(const ByteSource& source) {
  const std::string& file = source.shown();
  std::array<unsigned char, 12> start{};
  if (source.size() < 10) fail_tensor_file(file, "npy", "it is too short");
  source.read(0, start.data(), std::min<std::uint64_t>(source.size(), start.size()));
  if (std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0) {
    fail_tensor_file(file, "npy", "it does not begin as one");
  }
  if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
    fail_tensor_file(file, "npy", fmt::format("its version is {}.{}", start[6], start[7]));
  }
  const std::uint64_t prefix = start[6] == 1 ? 10 : 12;
  std::uint64_t length = start[8] + 256U * start[9];
  if (start[6] > 1) length += 65536U * start[10] + 16777216U * std::uint64_t{start[11]};
  if (length > (1U << 20) || prefix + length > source.size()) {
    fail_tensor_file(file, "npy", "its header is longer than the file");
  }
  std::string text(length, ' ');
  source.read(prefix, text.data(), length);
  Header header = HeaderParser(text, file).parse();
  Tensor tensor = read_elements(source, "npy", header.dtype, header.extents, prefix + length, source.size());
  return header.fortran && tensor.rank() > 1 ? from_fortran(tensor) : tensor;
}

std::string npy_bytes(const Tensor& tensor) {
  std::string shape;
  for (std::int64_t extent : tensor.extents()) shape += fmt::format("{}, ", extent);
  if (shape.size() > 2) shape.resize(shape.size() - (tensor.rank() == 1 ? 1 : 2));
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descr_of(tensor.dtype()), shape);
  // NumPy aligns the elements to 64 bytes; the header ends in a line break.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.data()), static_cast<std::size_t>(tensor.bytes()));
  return bytes;
}

}  // namespace cohort
