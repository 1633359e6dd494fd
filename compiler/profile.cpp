#include "compiler/profile.h"

#include <algorithm>
#include <array>

#include "ir/files.h"
#include "ir/json_checks.h"
#include "ir/json_document.h"
#include "ir/number_text.h"

namespace cohort {
namespace {

// Never wraps around, so that counts that are too large are merely wrong.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return b > UINT64_MAX - a ? UINT64_MAX : a + b; }

class ProfileReading {
 public:
  ProfileReading(const Module& module, ErrorList& errors) : module_(module), json_{errors} {}

  Profile read(JsonValue root) {
    Profile profile;
    if (!json_.expect(root, JsonKind::kObject, "the profile")) return profile;
    check_keys(root, {"format", "version", "module", "functions"}, "the profile");
    json_.expect_text(root, "format", "cohort-profile", "the profile");
    json_.expect_text(root, "version", "1.0", "the profile");
    const JsonValue name = json_.required(root, "module", JsonKind::kString, "the profile");
    if (name && name.string() != module_.name)
      json_.add(DiagId::kWrongFormat, name, "module", name.string(), module_.name);
    const JsonValue functions = json_.required(root, "functions", JsonKind::kObject, "the profile");
    // Of another module nothing else is known.
    if (!functions || !json_.errors.empty()) return profile;
    for_each_member(functions, [&](JsonValue key, JsonValue value) {
      const bool known = std::any_of(module_.functions.begin(), module_.functions.end(),
                                     [&](const auto& f) { return f->name == key.string(); });
      if (!known) return json_.add(DiagId::kUnknownFunction, key, key.string(), module_.name);
      profile.functions[std::string(key.string())] = function(key.string(), value);
    });
    return profile;
  }

 private:
  void check_keys(JsonValue object, std::initializer_list<std::string_view> known, std::string_view what) {
    for_each_member(object, [&](JsonValue key, JsonValue) {
      if (std::find(known.begin(), known.end(), key.string()) == known.end())
        json_.add(DiagId::kUnknownKey, key, key.string(), what);
    });
  }
  std::uint64_t number(JsonValue value, std::string_view what, DType dtype) {
    if (!json_.expect(value, JsonKind::kNumber, what)) return 0;
    Scalar scalar;
    const NumberFault fault = parse_number(value.string(), dtype, scalar);
    if (fault != NumberFault::kNone)
      json_.errors.add(number_diagnostic(fault, value.location(), value.string(), dtype));
    return fault == NumberFault::kNone ? scalar.bits : 0;
  }
  std::uint64_t count(JsonValue object, std::string_view key, std::string_view what) {
    const JsonValue value = object.find(key);
    if (!value) json_.add(DiagId::kMissingKey, object, what, key);
    return value ? number(value, fmt::format("`{}`", key), DType::kU64) : 0;
  }

  FunctionCounts function(std::string_view name, JsonValue object) {
    FunctionCounts counts;
    const std::string what = fmt::format("the function `{}`", name);
    if (!json_.expect(object, JsonKind::kObject, what)) return counts;
    check_keys(object, {"calls", "dims", "kernels"}, what);
    counts.calls = count(object, "calls", what);
    if (const JsonValue dims = json_.required(object, "dims", JsonKind::kObject, what))
      for_each_member(dims, [&](JsonValue key, JsonValue value) {
        DimId id = 0;
        while (id < module_.dims.size() && module_.dims[id].name != key.string()) ++id;
        if (id == module_.dims.size())
          return json_.add(DiagId::kUnknownName, key, key.string(),
                           fmt::format("the dims of {}", module_.name));
        counts.dims[id] = dim(module_.dims[id], value);
        std::uint64_t total = counts.dims[id].other;
        for (const auto& [at, calls] : counts.dims[id].calls) total = sum(total, calls);
        if (total != counts.calls && json_.errors.empty())
          json_.add(DiagId::kWrongFormat, value, fmt::format("sum of the calls of `{}`", key.string()), total,
                    counts.calls);
      });
    if (const JsonValue kernels = json_.required(object, "kernels", JsonKind::kObject, what))
      for_each_member(kernels, [&](JsonValue key, JsonValue value) {
        const std::string kernel = fmt::format("the kernel `{}`", key.string());
        if (!json_.expect(value, JsonKind::kObject, kernel)) return;
        check_keys(value, {"calls", "ns"}, kernel);
        count(value, "calls", kernel);
        count(value, "ns", kernel);
      });
    return counts;
  }

  DimCounts dim(const NamedDim& dim, JsonValue object) {
    DimCounts counts;
    const std::string what = fmt::format("the dim `{}`", dim.name);
    if (!json_.expect(object, JsonKind::kObject, what)) return counts;
    check_keys(object, {"values", "other"}, what);
    counts.other = count(object, "other", what);
    const JsonValue values = json_.required(object, "values", JsonKind::kList, what);
    if (!values) return counts;
    for_each_element(values, [&](JsonValue pair) {
      if (!pair.is(JsonKind::kList) || pair.count() != 2) {
        json_.add(DiagId::kWrongKind, pair, "an element of `values`", json_kind_name(pair),
                  "a list of a value and its calls");
        return;
      }
      const JsonValue first = pair.first();
      const auto value = static_cast<std::int64_t>(number(first, "the value", DType::kI64));
      if (value < dim.min || value > dim.max)
        json_.add(DiagId::kNumberTooLarge, first, value,
                  fmt::format("{} = {}..{}", dim.name, dim.min, dim.max));
      std::uint64_t& calls = counts.calls[value];
      calls = sum(calls, number(first.after(), "the calls", DType::kU64));
    });
    return counts;
  }

  const Module& module_;
  JsonChecks json_;
};

}  // namespace

Profile read_profile(const std::string& path, const Module& module) {
  ErrorList errors;
  const JsonDocument document(read_file(path), path, errors);
  Profile profile;
  if (errors.empty()) profile = ProfileReading(module, errors).read(document.root());
  errors.throw_if_any();
  return profile;
}

void add_profile(Profile& profile, const Profile& more) {
  for (const auto& [name, counts] : more.functions) {
    FunctionCounts& into = profile.functions[name];
    into.calls = sum(into.calls, counts.calls);
    for (const auto& [id, dim] : counts.dims) {
      into.dims[id].other = sum(into.dims[id].other, dim.other);
      for (const auto& [value, calls] : dim.calls)
        into.dims[id].calls[value] = sum(into.dims[id].calls[value], calls);
    }
  }
}

std::vector<FixedDim> common_values(const FunctionCounts& counts) {
  struct Candidate {
    std::uint64_t missed;  // calls with another value
    FixedDim fixed;
  };
  std::vector<Candidate> candidates;
  for (const auto& [id, dim] : counts.dims) {
    const auto most = std::max_element(dim.calls.begin(), dim.calls.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == dim.calls.end() || most->first == 0 || most->second == 0) continue;
    candidates.push_back({counts.calls - std::min(most->second, counts.calls), {id, most->first}});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.missed < b.missed; });
  std::vector<FixedDim> result;
  std::uint64_t missed = 0;
  for (const Candidate& candidate : candidates) {
    missed = sum(missed, candidate.missed);
    if (missed > counts.calls / 10) break;
    result.push_back(candidate.fixed);
  }
  std::sort(result.begin(), result.end(), [](const FixedDim& a, const FixedDim& b) { return a.dim < b.dim; });
  return result;
}

}  // namespace cohort
