#include "tools/cohort/engine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <optional>

#include "ir/diagnostics.h"
#include "ir/files.h"
#include "ir/ops/print.h"

namespace cohort {

Engine interpreter_engine(const Module& module) {
  return [&module](const Function& function, std::span<const Tensor> inputs, std::vector<Tensor>& state) {
    return interpret(module, function, inputs, state, bind_dims(module, function, inputs));
  };
}

namespace {

using Json = nlohmann::ordered_json;

// Where one argument struct's member stands, by the manifest.
struct ArrayMember {
  std::size_t offset = 0, bytes_offset = 0;
};
// Where a state variable lies, contiguous, and which other one lies there, too.
struct StatePlace {
  std::size_t offset = 0;
  std::string equals;
};
struct EntryPoint {
  std::int32_t (*call)(void*, const void*) = nullptr;
  std::size_t args_bytes = 0;
  std::vector<std::pair<std::string, std::size_t>> dims;
  std::vector<ArrayMember> inputs, outputs;
};

// The hook for loops that threads may share: one thread does all.
void in_one_piece(void*, void (*body)(void*, std::int64_t, std::int64_t), void* context, std::int64_t count,
                  std::int64_t) {
  body(context, 0, count);
}

// The same: unequal ranges, the last one first. So what is compared with the
// interpreter does not depend on who runs which iterations.
void in_pieces(void*, void (*body)(void*, std::int64_t, std::int64_t), void* context, std::int64_t count,
               std::int64_t) {
  const std::int64_t first = count / 3, second = count - count / 5;
  body(context, second, count);
  body(context, first, second);
  body(context, 0, first);
}

// cohort_value of cohort/abi.h, which dtypes are numbered by.
struct PrintedValue {
  const char* message;
  const void* data;
  const std::int64_t* extents;
  std::int32_t rank, dtype;
};
using PrintHook = void (*)(void* user, const PrintedValue* value);
void append_printed(void* text, const PrintedValue* value) {
  Tensor tensor(static_cast<DType>(value->dtype), Extents(value->extents, value->extents + value->rank));
  if (tensor.bytes() > 0)
    std::memcpy(tensor.mutable_data(), value->data, static_cast<std::size_t>(tensor.bytes()));
  *static_cast<std::string*>(text) += printed_line(value->message, tensor);
}

// A loaded module with one workspace. Everything it knows of the interface it reads from the manifest.
class LoadedModule {
 public:
  LoadedModule(const Module& module, const std::string& path, decltype(&in_pieces) parallel_for)
      : module_(module) {
    const std::filesystem::path library = std::filesystem::absolute(path);
    std::string prefix = library.stem().string();
    if (prefix.starts_with("lib")) prefix.erase(0, 3);
    const std::string manifest_path = (library.parent_path() / (prefix + ".manifest.json")).string();
    const Json manifest = Json::parse(read_file(manifest_path));
    handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) fail(DiagId::kCannotLoad, path, dlerror());
    const Json& symbols = manifest["symbols"];
    get_ = symbol<decltype(get_)>(symbols["get"]);
    set_ = symbol<decltype(set_)>(symbols["set"]);
    error_text_ = symbol<decltype(error_text_)>(symbols["error_text"]);
    const std::size_t bytes = manifest["workspace"]["bytes"], alignment = manifest["workspace"]["alignment"];
    workspace_.reset(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
    if (!workspace_) throw std::bad_alloc();
    const auto init = symbol<std::int32_t (*)(void*, std::size_t)>(symbols["init"]);
    reset_ = symbol<decltype(reset_)>(symbols["reset"]);
    check(init(workspace_.get(), bytes));
    if (symbols.contains("attach")) {
      detach_ = symbol<decltype(detach_)>(symbols["detach"]);
      check(symbol<std::int32_t (*)(void*, void*, std::size_t, void*)>(symbols["attach"])(
          workspace_.get(), nullptr, 0, nullptr));
    }
    set_print_ = symbol<decltype(set_print_)>(symbols["set_print"]);
    check(set_print_(workspace_.get(), nullptr, nullptr));
    if (symbols.contains("set_parallel"))
      check(symbol<std::int32_t (*)(void*, decltype(&in_pieces), void*)>(symbols["set_parallel"])(
          workspace_.get(), parallel_for, nullptr));
    for (const Json& f : manifest["functions"]) entries_[f["name"]] = entry_point(f);
    for (const Json& s : manifest["state"]) places_[s["name"]] = {s["offset"], s.value("equals", "")};
    if (symbols.contains("profile")) profile_ = symbol<decltype(profile_)>(symbols["profile"]);
  }
  ~LoadedModule() {
    if (detach_) detach_(workspace_.get());
    if (handle_) dlclose(handle_);
  }
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  CallResult call(const Function& function, std::span<const Tensor> inputs, std::vector<Tensor>& state) {
    const EntryPoint& entry = entry_of(function);
    held_.resize(state.size());
    for (std::size_t s = 0; s < state.size(); ++s) {
      if (!module_.states[s].is_settable) {
        restore(s, state);
      } else if (!holds(s, state[s])) {
        check(set_(workspace_.get(), module_.states[s].name.c_str(), state[s].data(), bytes_of(state[s])));
        held_[s] = state[s];
      }
    }
    CallResult result;
    const std::vector<std::uint64_t> args = arguments(entry, function, inputs, result);
    set_print_(workspace_.get(), append_printed, &result.printed);
    const std::int32_t status = entry.call(workspace_.get(), args.data());
    set_print_(workspace_.get(), nullptr, nullptr);
    check(status);
    for (std::size_t s = 0; s < state.size(); ++s)
      check(get_(workspace_.get(), module_.states[s].name.c_str(), state[s].mutable_data(),
                 bytes_of(state[s])));
    held_.assign(state.begin(), state.end());
    return result;
  }

  double time(const Function& function, std::span<const Tensor> inputs, std::int64_t calls) {
    const EntryPoint& entry = entry_of(function);
    CallResult result;
    const std::vector<std::uint64_t> args = arguments(entry, function, inputs, result);
    check(reset_(workspace_.get()));
    held_.clear();
    std::int32_t status = entry.call(workspace_.get(), args.data());  // brings code and data into cache
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < calls && status == 0; ++i)
      status = entry.call(workspace_.get(), args.data());
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    check(status);
    return taken.count();
  }

  bool is_instrumented() const { return profile_ != nullptr; }
  std::string profile() const {
    std::string text(profile_(workspace_.get(), nullptr, 0), '\0');
    profile_(workspace_.get(), text.data(), text.size() + 1);
    return text;
  }

 private:
  static std::size_t bytes_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.bytes()); }

  const EntryPoint& entry_of(const Function& function) const {
    const auto found = entries_.find(function.name);
    if (found == entries_.end()) fail(DiagId::kUnknownFunction, function.name, module_.name);
    return found->second;
  }

  // Whether the module has these bits already: of hundreds of variables most calls change few, and each `set`
  // of a module on a GPU is a transfer.
  bool holds(std::size_t s, const Tensor& value) const {
    return held_[s].has_value() && held_[s]->bytes() == value.bytes() &&
           std::memcmp(held_[s]->data(), value.data(), bytes_of(value)) == 0;
  }

  // Puts a variable that `set` refuses where the manifest says that it lies.
  void restore(std::size_t s, std::span<const Tensor> state) {
    const StatePlace& place = places_.at(module_.states[s].name);
    for (std::size_t lead = 0; lead < state.size(); ++lead)
      if (module_.states[lead].name == place.equals && !(state[lead] == state[s]))
        fail(DiagId::kModuleStatus, 16,
             fmt::format("`{}` always equals `{}`", module_.states[s].name, place.equals));
    std::memcpy(static_cast<std::byte*>(workspace_.get()) + place.offset, state[s].data(),
                bytes_of(state[s]));
  }

  // The argument struct; makes the arrays of `result` that it points to.
  std::vector<std::uint64_t> arguments(const EntryPoint& entry, const Function& function,
                                       std::span<const Tensor> inputs, CallResult& result) const {
    const DimValues dims = bind_dims(module_, function, inputs);
    for (const Output& output : function.outputs)
      result.outputs.emplace_back(function.type(output.value).dtype,
                                  evaluate(function.type(output.value).shape, dims));
    std::vector<std::uint64_t> args(entry.args_bytes / 8);
    args[0] = entry.args_bytes;
    for (const auto& [name, offset] : entry.dims)
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (module_.dims[d].name == name) args[offset / 8] = static_cast<std::uint64_t>(dims[d]);
    const auto put = [&](const ArrayMember& member, const void* data, std::size_t bytes) {
      args[member.offset / 8] = reinterpret_cast<std::uintptr_t>(data);
      args[member.bytes_offset / 8] = bytes;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i)
      put(entry.inputs[i], inputs[i].data(), bytes_of(inputs[i]));
    for (std::size_t i = 0; i < result.outputs.size(); ++i)
      put(entry.outputs[i], result.outputs[i].mutable_data(), bytes_of(result.outputs[i]));
    return args;
  }

  template <typename T>
  T symbol(const std::string& name) {
    void* address = dlsym(handle_, name.c_str());
    if (!address) fail(DiagId::kCannotLoad, name, "the library has no such symbol");
    return reinterpret_cast<T>(address);
  }

  EntryPoint entry_point(const Json& f) {
    EntryPoint entry;
    entry.call = symbol<decltype(entry.call)>(f["symbol"]);
    entry.args_bytes = f["args_bytes"];
    for (const Json& d : f["dims"]) entry.dims.emplace_back(d["name"], d["offset"]);
    for (const Json& a : f["inputs"]) entry.inputs.push_back({a["offset"], a["bytes_offset"]});
    for (const Json& a : f["outputs"]) entry.outputs.push_back({a["offset"], a["bytes_offset"]});
    return entry;
  }

  void check(std::int32_t status) {
    if (status == 0) return;
    char text[512] = "";
    error_text_(workspace_.get(), text, sizeof text);
    fail(DiagId::kModuleStatus, status, text);
  }

  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  const Module& module_;
  void* handle_ = nullptr;
  std::unique_ptr<void, Free> workspace_;
  std::int32_t (*reset_)(void*) = nullptr;
  std::int32_t (*set_print_)(void*, PrintHook, void*) = nullptr;
  std::int32_t (*get_)(void*, const char*, void*, std::size_t) = nullptr;
  std::int32_t (*set_)(void*, const char*, const void*, std::size_t) = nullptr;
  std::size_t (*error_text_)(const void*, char*, std::size_t) = nullptr;
  std::size_t (*profile_)(const void*, char*, std::size_t) = nullptr;
  std::int32_t (*detach_)(void*) = nullptr;  // of modules with code for a GPU
  std::vector<std::optional<Tensor>> held_;  // by StateId: what the module has after the last call
  std::map<std::string, EntryPoint> entries_;
  std::map<std::string, StatePlace> places_;
};

}  // namespace

Engine library_engine(const Module& module, const std::string& path) {
  return load_library(module, path, false).engine;
}

LoadedLibrary load_library(const Module& module, const std::string& path, bool instrumented) {
  auto loaded = std::make_shared<LoadedModule>(module, path, in_pieces);
  if (instrumented && !loaded->is_instrumented())
    fail(DiagId::kCannotLoad, path, "it counts nothing, as it is compiled without --instrument");
  return {[loaded](const Function& function, std::span<const Tensor> inputs, std::vector<Tensor>& state) {
            return loaded->call(function, inputs, state);
          },
          [loaded] { return loaded->profile(); }};
}

Stopwatch library_stopwatch(const Module& module, const std::string& path) {
  auto loaded = std::make_shared<LoadedModule>(module, path, in_one_piece);
  return [loaded](const Function& function, std::span<const Tensor> inputs, std::int64_t calls) {
    return loaded->time(function, inputs, calls);
  };
}

}  // namespace cohort
