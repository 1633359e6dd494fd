#include "codegen/custom_reader.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

namespace cohort {

namespace {

namespace fs = std::filesystem;

// One reader's functions by what was asked for, and the headers they are in.
struct Known {
  std::function<const ClangTools*(std::string&)> tools;
  std::vector<std::string>* headers = nullptr;
  std::map<std::tuple<std::string, std::string, std::string, std::vector<std::string>>, CustomRef> functions;
  std::map<std::pair<std::string, std::string>, CustomHeader> parsed;  // by path and folder
};

const CustomHeader& header(Known& known, const CustomRequest& request) {
  const auto [found, fresh] = known.parsed.try_emplace({request.path, request.folder});
  CustomHeader& result = found->second;
  if (!fresh) return result;
  std::string why_not;
  const ClangTools* tools = known.tools(why_not);
  if (tools == nullptr) {
    Diagnostic missing = diagnostic(DiagId::kCustomUnread, {});
    missing.notes.push_back(why_not);
    result.errors.push_back(std::move(missing));
    return result;
  }
  if (std::error_code error; !fs::is_regular_file(request.path, error))
    result.errors.push_back(
        diagnostic(DiagId::kFileUnreadable, {}, request.path, error ? error.message() : "it is no file"));
  else
    result = tools->parse_header(request.path, request.folder);
  if (std::vector<std::string>* headers = known.headers) {
    headers->insert(headers->end(), result.files_read.begin(), result.files_read.end());
    std::sort(headers->begin(), headers->end());
    headers->erase(std::unique(headers->begin(), headers->end()), headers->end());
  }
  return result;
}

// A derivative takes what the function takes and gives a float of the parameter's dtype.
void check_derivative(const CustomDefinition& function, std::size_t parameter,
                      const CustomDefinition& derivative) {
  const auto same = [](const CustomParameter& a, const CustomParameter& b) { return a.dtype == b.dtype; };
  const bool fits = std::equal(function.parameters.begin(), function.parameters.end(),
                               derivative.parameters.begin(), derivative.parameters.end(), same) &&
                    derivative.dtype == function.parameters[parameter].dtype;
  if (fits) return;
  std::string types;
  for (const CustomParameter& each : function.parameters)
    types += fmt::format("{}{}", types.empty() ? "" : ", ", dtype_name(each.dtype));
  throw UserError(
      diagnostic(DiagId::kCustomSignature, derivative.location, derivative.name,
                 fmt::format("the derivative of `{}` with respect to `{}` has to take ({}) and give {}",
                             function.name, function.parameters[parameter].name, types,
                             dtype_name(function.parameters[parameter].dtype))));
}

CustomRef read(Known& known, const CustomRequest& request) {
  CustomRef& result = known.functions[{request.path, request.folder, request.function, request.derivative}];
  if (result) return result;
  const CustomHeader& from = header(known, request);
  if (!from.errors.empty()) throw UserError(from.errors);
  CustomReading reading = from.read(request.function);
  if (!reading.errors.empty()) throw UserError(std::move(reading.errors));
  CustomFunction made = std::move(reading.function);
  const std::size_t parameters = made.definition().parameters.size();
  if (!request.derivative.empty() && request.derivative.size() != parameters)
    fail(DiagId::kWrongAttribute, "custom", "derivative",
         fmt::format("has {} entries where `{}` has {} parameters", request.derivative.size(),
                     request.function, parameters));
  for (std::size_t i = 0; i < request.derivative.size(); ++i) {
    made.derivatives.push_back(nullptr);
    const CustomDerivative slope = parse_derivative(request.derivative[i]);
    if (slope.function.empty() || slope.is_zero()) continue;
    made.derivatives.back() = read(known, {request.path, slope.function, slope.derivative, request.folder});
    check_derivative(made.definition(), i, made.derivatives.back()->definition());
  }
  return result = std::make_shared<const CustomFunction>(std::move(made));
}

}  // namespace

const ClangTools* load_clang_tools(std::span<const std::string> paths, std::string& why_not) {
  std::error_code error;
  for (const std::string& path : paths) {
    if (!fs::exists(path, error)) continue;
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why_not = ::dlerror();
      continue;
    }
    using Entry = const ClangTools* (*)();
    if (const auto entry = reinterpret_cast<Entry>(::dlsym(library, "cohort_clang_tools"))) return entry();
    why_not = path + " is of another version";
  }
  if (why_not.empty()) why_not = "libcohort_clang.so lies neither beside cohort nor in lib/cohort";
  return nullptr;
}

CustomReader custom_reader(std::function<const ClangTools*(std::string&)> tools,
                           std::vector<std::string>* headers) {
  auto known = std::make_shared<Known>();
  known->tools = std::move(tools);
  known->headers = headers;
  return [known](const CustomRequest& request) { return read(*known, request); };
}

}  // namespace cohort
