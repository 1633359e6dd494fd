#include "ir/json_reading.h"
#include "ir/number_text.h"
#include "ir/tensor_checks.h"

namespace cohort {
namespace {

// Fills a tensor from nested lists, or from one scalar.
class DataReader {
 public:
  DataReader(JsonReading& reading, const Type& type, Tensor& tensor)
      : reading_(reading), type_(type), tensor_(tensor), failures_before_(reading.errors.size()) {}

  bool read(JsonValue value) {
    if (value.is(JsonKind::kList)) {
      list(value, 0);
    } else if (std::optional<Scalar> scalar = element(value)) {
      for (std::int64_t i = 0; i < tensor_.size(); ++i) set_tensor_element(tensor_, i, *scalar);
    }
    return reading_.errors.size() == failures_before_;
  }

 private:
  std::string shown_type() const { return to_string(type_, reading_.dims()); }

  void list(JsonValue value, std::size_t axis) {
    if (axis >= tensor_.extents().size()) {
      reading_.add(DiagId::kDataShape, value, fmt::format("a list at depth {}", axis + 1), shown_type(),
                   "a number");
      return;
    }
    if (value.count() != tensor_.extents()[axis]) {
      reading_.add(DiagId::kDataShape, value, fmt::format("{} elements along axis {}", value.count(), axis),
                   shown_type(), tensor_.extents()[axis]);
      return;
    }
    for_each_element(value, [&](JsonValue item) {
      if (reading_.errors.full()) return;
      if (axis + 1 < tensor_.extents().size()) {
        if (item.is(JsonKind::kList)) {
          list(item, axis + 1);
        } else {
          reading_.add(DiagId::kDataShape, item,
                       fmt::format("{} at depth {}", json_kind_name(item), axis + 1), shown_type(), "a list");
        }
      } else if (item.is(JsonKind::kList)) {
        list(item, axis + 1);
      } else if (std::optional<Scalar> scalar = element(item)) {
        set_tensor_element(tensor_, next_++, *scalar);
      }
    });
  }

  std::optional<Scalar> element(JsonValue value) {
    std::string_view text;
    switch (value.kind()) {
      case JsonKind::kTrue:
        text = "true";
        break;
      case JsonKind::kFalse:
        text = "false";
        break;
      case JsonKind::kNumber:
        text = value.string();
        break;
      case JsonKind::kString:
        text = value.string();
        break;
      default:
        reading_.add(DiagId::kWrongKind, value, "an element", json_kind_name(value), "a number");
        return {};
    }
    // A string that spells a plain number would hide a type error of the writer.
    bool is_plain = value.is(JsonKind::kString) &&
                    (type_.dtype == DType::kBool || text.find_first_not_of("0123456789.eE+-") == text.npos);
    Scalar scalar;
    NumberFault fault = is_plain ? NumberFault::kMalformed : parse_number(text, type_.dtype, scalar);
    if (fault == NumberFault::kNone) return scalar;
    reading_.errors.add(number_diagnostic(fault, value.location(), value.raw(), type_.dtype));
    return {};
  }

  JsonReading& reading_;
  const Type& type_;
  Tensor& tensor_;
  std::size_t failures_before_;
  std::int64_t next_ = 0;
};

}  // namespace

std::optional<Tensor> JsonReading::data(JsonValue value, const Type& type) {
  Extents extents = cohort::evaluate(type.shape, {});
  std::optional<std::uint64_t> bytes = checked_bytes(type.dtype, extents);
  if (!bytes || *bytes > physical_memory()) {
    add(DiagId::kTensorTooLarge, value, "data", to_string(type, dims()));
    return {};
  }
  Tensor tensor(type.dtype, extents);
  if (!DataReader(*this, type, tensor).read(value)) return {};
  return tensor;
}

std::optional<Tensor> JsonReading::external(JsonValue object, const Type& type) {
  JsonValue file = required(object, "file", JsonKind::kString, "an external tensor");
  JsonValue key = optional(object, "key", JsonKind::kString);
  JsonValue sha256 = optional(object, "sha256", JsonKind::kString);
  if (!file) return {};
  const bool needs_key = file.string().ends_with(".safetensors");
  if (needs_key != static_cast<bool>(key)) {
    if (needs_key)
      add(DiagId::kMissingKey, file, "a tensor in a .safetensors file", "key");
    else
      add(DiagId::kUnknownKey, key, "key", "a tensor in an .npy file");
    return {};
  }
  try {
    Tensor tensor = files.read(file.string(), key ? key.string() : std::string_view(),
                               sha256 ? sha256.string() : std::string_view());
    Type found{tensor.dtype(), Shape(tensor.extents().begin(), tensor.extents().end())};
    if (found == type) return tensor;
    add(DiagId::kWeightType, file, file.string(), to_string(found, dims()), to_string(type, dims()));
  } catch (UserError& error) {
    // The position in the graph says more than the bare name of the file, which is in the message.
    for (Diagnostic& found : error.diagnostics()) found.location = file.location();
    errors.add(error, file.location());
  }
  return {};
}

}  // namespace cohort
