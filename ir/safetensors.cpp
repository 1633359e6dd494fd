#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "ir/diagnostics.h"
#include "ir/json_document.h"
#include "ir/json_quote.h"
#include "ir/number_text.h"
#include "ir/tensor_checks.h"
#include "ir/tensor_files.h"

namespace cohort {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensor files are little-endian and are copied as they are");

constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr std::array<std::string_view, kDTypeCount> kStoredDTypes{
    "BOOL", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "F16", "BF16", "F32", "F64"};

[[noreturn]] void fail_file(const ByteSource& source, const std::string& reason) {
  fail_tensor_file(source.shown(), "safetensors", reason);
}

std::optional<DType> parse_safetensors_dtype(std::string_view name) {
  auto found = std::find(kStoredDTypes.begin(), kStoredDTypes.end(), name);
  if (found == kStoredDTypes.end()) return {};
  return static_cast<DType>(found - kStoredDTypes.begin());
}

std::uint64_t header_length(const ByteSource& source) {
  std::uint64_t length = 0;
  if (source.size() < 8) fail_file(source, "it is too short");
  source.read(0, &length, 8);
  if (length > kMaxHeader || length > source.size() - 8)
    fail_file(source, "its header is longer than the file");
  return length;
}

std::vector<std::int64_t> integers(const ByteSource& source, JsonValue list, std::string_view what) {
  std::vector<std::int64_t> numbers;
  auto refuse = [&] {
    fail_file(source, fmt::format("the {} of a tensor is no list of whole numbers", what));
  };
  if (!list || !list.is(JsonKind::kList)) refuse();
  for_each_element(list, [&](JsonValue element) {
    std::optional<std::int64_t> number;
    if (element.is(JsonKind::kNumber)) number = parse_int64(element.string());
    if (!number || *number < 0) refuse();
    numbers.push_back(*number);
  });
  return numbers;
}

}  // namespace

SafetensorsFile::SafetensorsFile(ByteSource source) : source_(std::move(source)) {
  const std::uint64_t length = header_length(source_);
  const std::uint64_t buffer = source_.size() - 8 - length;
  std::string text(length, ' ');
  source_.read(8, text.data(), length);
  ErrorList errors;
  try {
    JsonDocument document(std::move(text), source_.shown(), errors);
    JsonValue root = document.root();
    if (!errors.empty()) fail_file(source_, "a name in its header stands twice");
    if (!root.is(JsonKind::kObject)) fail_file(source_, "its header is no object");
    for_each_member(root, [&](JsonValue key, JsonValue value) {
      if (key.string() == "__metadata__") return;
      if (!value.is(JsonKind::kObject)) fail_file(source_, "a tensor in its header is no object");
      JsonValue dtype = value.find("dtype");
      if (!dtype || !dtype.is(JsonKind::kString)) fail_file(source_, "a tensor has no dtype");
      std::vector<std::int64_t> offsets = integers(source_, value.find("data_offsets"), "offsets");
      if (offsets.size() != 2 || offsets[0] > offsets[1] || static_cast<std::uint64_t>(offsets[1]) > buffer) {
        fail_file(source_, fmt::format("the tensor `{}` lies outside the file", printable(key.string())));
      }
      Entry entry{std::string(dtype.string()), integers(source_, value.find("shape"), "shape"),
                  8 + length + static_cast<std::uint64_t>(offsets[0]),
                  8 + length + static_cast<std::uint64_t>(offsets[1])};
      entries_.emplace(key.string(), std::move(entry));
    });
  } catch (const UserError& error) {
    const Diagnostic& first = error.diagnostics().front();
    if (first.id == DiagId::kNoTensorFile) throw;
    fail_file(source_, "its header is no JSON: " + first.message);
  }
  check_layout();
}

// The format wants the buffer covered without holes and overlaps.
void SafetensorsFile::check_layout() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const auto& [name, entry] : entries_) {
    ranges.emplace_back(entry.begin, entry.end);
    std::optional<DType> dtype = parse_safetensors_dtype(entry.dtype);
    std::optional<std::uint64_t> bytes = checked_bytes(dtype.value_or(DType::kI8), entry.extents);
    if (!bytes)
      fail_file(source_, fmt::format("the tensor `{}` is larger than memory can be", printable(name)));
    if (dtype && *bytes != entry.end - entry.begin) {
      fail_file(source_, fmt::format("the tensor `{}` has {} bytes where its shape takes {}", printable(name),
                                     entry.end - entry.begin, *bytes));
    }
  }
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t covered = 8 + header_length(source_);
  for (const auto& [begin, end] : ranges) {
    if (begin < covered) fail_file(source_, "two of its tensors overlap");
    if (begin > covered) fail_file(source_, "there is a gap between its tensors");
    covered = end;
  }
  if (covered != source_.size()) fail_file(source_, "there are bytes after its last tensor");
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

std::optional<Tensor> SafetensorsFile::read(const std::string& name) const {
  auto found = entries_.find(name);
  if (found == entries_.end()) return {};
  const Entry& entry = found->second;
  std::optional<DType> dtype = parse_safetensors_dtype(entry.dtype);
  if (!dtype) fail_file(source_, fmt::format("no dtype of ours is like its `{}`", printable(entry.dtype)));
  return read_elements(source_, "safetensors", *dtype, entry.extents, entry.begin, entry.end);
}

std::string safetensors_bytes(const std::vector<NamedTensor>& tensors) {
  std::string header = "{";
  std::uint64_t offset = 0;
  for (const NamedTensor& tensor : tensors) {
    std::string shape;
    for (std::int64_t extent : tensor.data.extents())
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    auto bytes = static_cast<std::uint64_t>(tensor.data.bytes());
    header += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          header.size() > 1 ? "," : "", json_quote(tensor.name),
                          kStoredDTypes[static_cast<std::size_t>(tensor.data.dtype())], shape, offset,
                          offset + bytes);
    offset += bytes;
  }
  header += '}';
  header.append((64 - (8 + header.size()) % 64) % 64, ' ');
  std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  bytes += header;
  bytes.reserve(bytes.size() + offset);
  for (const NamedTensor& tensor : tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.data.data()),
                 static_cast<std::size_t>(tensor.data.bytes()));
  }
  return bytes;
}

}  // namespace cohort
