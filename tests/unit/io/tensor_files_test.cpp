#include "ir/tensor_files.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ir/diagnostics.h"
#include "ir/json_reader.h"
#include "ir/number_text.h"
#include "ir/sha256.h"

namespace cohort {
namespace {

Tensor sample(DType dtype, const Extents& extents) {
  Tensor tensor(dtype, extents);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    set_element_int(tensor, i, dtype == DType::kBool ? i % 2 : i * 3 - 4);
  return tensor;
}

std::string npy(std::string header, std::string_view data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  return bytes + header + std::string(data);
}

// The message of reading these bytes, or "" if they are read.
std::string npy_error(const std::string& bytes) {
  try {
    read_npy(ByteSource(bytes, "w.npy"));
  } catch (const UserError& error) {
    return error.diagnostics()[0].message;
  }
  return "";
}

std::string safetensors_error(const std::string& bytes) {
  try {
    SafetensorsFile file(ByteSource(bytes, "w.safetensors"));
    for (const std::string& name : file.names()) file.read(name);
  } catch (const UserError& error) {
    return error.diagnostics()[0].message;
  }
  return "";
}

std::string safetensors(const std::string& header, std::size_t data) {
  std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + std::string(data, '\0');
}

std::string after_colon(const std::string& message) { return message.substr(message.find(": ") + 2); }

}  // namespace

TEST_CASE("every dtype and shape survives .npy and .safetensors") {
  std::vector<NamedTensor> tensors;
  for (int d = 0; d < kDTypeCount; ++d) {
    for (const Extents& extents : {Extents{}, Extents{3}, Extents{2, 3}, Extents{0, 5}, Extents{2, 1, 2}}) {
      Tensor tensor = sample(static_cast<DType>(d), extents);
      std::string bytes = npy_bytes(tensor);
      CHECK(read_npy(ByteSource(bytes, "w.npy")) == tensor);
      CHECK((bytes.size() - static_cast<std::size_t>(tensor.bytes())) % 64 == 0);
      tensors.push_back({fmt::format("t\"{}", tensors.size()), tensor});
    }
  }
  std::string bytes = safetensors_bytes(tensors);
  SafetensorsFile file(ByteSource(bytes, "w.safetensors"));
  CHECK(file.names().size() == tensors.size());
  for (const NamedTensor& tensor : tensors) CHECK(*file.read(tensor.name) == tensor.data);
  CHECK(!file.read("absent"));
}

TEST_CASE("Fortran order is turned into row-major order") {
  std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n";
  std::string bytes = npy(header, std::string("\x00\x03\x01\x04\x02\x05", 6));
  Tensor tensor = read_npy(ByteSource(bytes, "w.npy"));
  for (int i = 0; i < 6; ++i) CHECK(element_as_int(tensor, i) == i);
}

TEST_CASE("what an .npy file may not be") {
  const std::string f8 = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";
  CHECK(npy_error(npy(f8, std::string(8, '\0'))) == "");
  CHECK(npy_error("") == "`w.npy` is no usable .npy file: it is too short");
  CHECK(after_colon(npy_error(std::string(64, 'x'))) == "it does not begin as one");
  CHECK(after_colon(npy_error(npy(f8, "1234567"))) == "it holds 7 bytes where a tensor takes 8");
  CHECK(after_colon(npy_error(npy(f8, "123456789"))) == "it holds 9 bytes where a tensor takes 8");
  CHECK(after_colon(npy_error(npy("{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }", ""))) ==
        "its elements are big-endian");
  CHECK(after_colon(npy_error(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
                                  ""))) == "its elements are structured");
  CHECK(after_colon(npy_error(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", ""))) ==
        "no dtype of ours is like its `|O`");
  CHECK(after_colon(npy_error(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\x02"))) ==
        "a bool in it is neither 0 nor 1");
  CHECK(after_colon(npy_error(
            npy("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 9), }", ""))) ==
        "a tensor in it is larger than memory can be");
  CHECK(after_colon(npy_error(
            npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9223372036854775807), }", ""))) ==
        "a tensor in it is larger than memory can be");
  CHECK(after_colon(npy_error(npy("{'descr': '<f8', 'shape': (1,), }", ""))) == "its header is malformed");
}

TEST_CASE("what a .safetensors file may not be") {
  auto error = [](const std::string& header, std::size_t data) {
    return after_colon(safetensors_error(safetensors(header, data)));
  };
  CHECK(safetensors_error(safetensors(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8)) == "");
  CHECK(safetensors_error(safetensors(R"({"__metadata__":{"a":"b"}})", 0)) == "");
  CHECK(after_colon(safetensors_error("1234567")) == "it is too short");
  CHECK(after_colon(safetensors_error(std::string(8, '\xff'))) == "its header is longer than the file");
  CHECK(error("[]", 0) == "its header is no object");
  CHECK(error("{", 0) == "its header is no JSON: the file ends inside a value");
  CHECK(error(R"({"a":1,"a":1})", 0) == "a name in its header stands twice");
  CHECK(error(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4) ==
        "the tensor `a` lies outside the file");
  CHECK(error(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8) ==
        "the tensor `a` has 8 bytes where its shape takes 12");
  CHECK(
      error(
          R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})",
          7) == "two of its tensors overlap");
  CHECK(error(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[1,5]}})", 5) ==
        "there is a gap between its tensors");
  CHECK(error(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 5) ==
        "there are bytes after its last tensor");
  CHECK(error(R"({"a":{"dtype":"F8","shape":[4],"data_offsets":[0,4]}})", 4) ==
        "no dtype of ours is like its `F8`");
  CHECK(error(R"({"a":{"dtype":"U8","shape":[-4],"data_offsets":[0,4]}})", 4) ==
        "the shape of a tensor is no list of whole numbers");
}

TEST_CASE("changed bytes and truncations are refused or read, never a crash") {
  std::string good_npy = npy_bytes(sample(DType::kF32, {2, 3}));
  std::string good_safetensors =
      safetensors_bytes({{"a", sample(DType::kF32, {2})}, {"b", sample(DType::kBool, {3})}});
  std::uint32_t seed = 7;
  auto random = [&seed] { return (seed = seed * 1664525 + 1013904223) >> 8; };
  for (int i = 0; i < 20000; ++i) {
    std::string a = good_npy, b = good_safetensors;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      a[random() % a.size()] = static_cast<char>(random());
      b[random() % b.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) a.resize(random() % a.size());
    if (random() % 4 == 0) b.resize(random() % b.size());
    npy_error(a);
    safetensors_error(b);
  }
}

TEST_CASE("SHA-256 of the standard's examples") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("paths stay in the graph's folder, links followed") {
  namespace fs = std::filesystem;
  fs::path root = fs::temp_directory_path() / fmt::format("cohort_paths_{}", ::getpid());
  fs::create_directories(root / "graph" / "inner");
  std::ofstream(root / "outside.npy") << "x";
  std::ofstream(root / "graph" / "inner" / "w.npy") << "x";
  fs::create_symlink(root / "outside.npy", root / "graph" / "link.npy");
  fs::create_symlink(root, root / "graph" / "up");
  fs::create_symlink("inner", root / "graph" / "within");
  const std::string folder = (root / "graph").string();
  for (const char* inside : {"inner/w.npy", "./inner/../inner/w.npy", "within/w.npy", "absent.npy"}) {
    CHECK_NOTHROW(resolve_path(folder, inside, false));
  }
  for (const char* outside :
       {"../outside.npy", "link.npy", "up/outside.npy", "inner/../../outside.npy", "/etc/passwd"}) {
    CHECK_THROWS_AS(resolve_path(folder, outside, false), UserError);
    CHECK_NOTHROW(resolve_path(folder, outside, true));
  }
  CHECK_THROWS_AS(resolve_path(folder, std::string_view("a\0b", 3), true), UserError);
  fs::remove_all(root);
}

TEST_CASE("numbers read exactly or are refused, and print shortest") {
  Scalar value;
  CHECK(parse_number("-0.0", DType::kF64, value) == NumberFault::kNone);
  CHECK(number_text(value) == "-0.0");
  CHECK(parse_number("16777217", DType::kF32, value) == NumberFault::kInexact);
  CHECK(parse_number("16777217.0", DType::kF32, value) == NumberFault::kNone);
  CHECK(parse_number("1e-400", DType::kF64, value) == NumberFault::kNone);
  CHECK(parse_number("1e400", DType::kF64, value) == NumberFault::kTooLarge);
  CHECK(parse_number("1e39", DType::kF32, value) == NumberFault::kTooLarge);
  CHECK(parse_number("65520", DType::kF16, value) == NumberFault::kTooLarge);
  CHECK(parse_number("18446744073709551616", DType::kU64, value) == NumberFault::kTooLarge);
  CHECK(parse_number("-128", DType::kI8, value) == NumberFault::kNone);
  CHECK(value.bits == 0x80);
  CHECK(parse_number("-129", DType::kI8, value) == NumberFault::kTooLarge);
  CHECK(parse_number("-1", DType::kU8, value) == NumberFault::kTooLarge);
  CHECK(parse_number("2.0", DType::kI8, value) == NumberFault::kNone);
  CHECK(parse_number("2.5", DType::kI8, value) == NumberFault::kNotIntegral);
  CHECK(parse_number("nan", DType::kI8, value) == NumberFault::kNotIntegral);
  CHECK(parse_number("0x1.8p+1", DType::kF32, value) == NumberFault::kNone);
  CHECK(number_text(value) == "3.0");
  CHECK(parse_number("0x1.8000000001p+1", DType::kF32, value) == NumberFault::kInexact);
  for (const char* wrong :
       {"", "-", "infinity", "NAN", "nan(1)", "0x", "1,5", "1e", "--1", "0x-1", "nan(0x1)", "true"}) {
    CHECK(parse_number(wrong, DType::kF64, value) == NumberFault::kMalformed);
  }
}

TEST_CASE("every 16-bit float and many others read back from their text") {
  for (DType dtype : {DType::kF16, DType::kBF16}) {
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      Scalar read;
      std::string text = number_text({dtype, bits});
      bool same = parse_number(text, dtype, read) == NumberFault::kNone && read.bits == bits;
      if (!same) FAIL_CHECK(text << " of bits " << bits);
    }
  }
  std::uint64_t seed = 1;
  for (int i = 0; i < 100000; ++i) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    for (DType dtype : {DType::kF32, DType::kF64, DType::kI8, DType::kI64, DType::kU64, DType::kU16}) {
      Scalar value{dtype, seed >> (64 - 8 * dtype_bytes(dtype))}, read;
      bool same = parse_number(number_text(value), dtype, read) == NumberFault::kNone && read == value;
      if (!same) FAIL_CHECK(number_text(value));
    }
  }
}

}  // namespace cohort
