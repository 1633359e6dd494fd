// Finds the function in the header, translates it and copies its text.
#include <clang/AST/DeclTemplate.h>
#include <fmt/format.h>

#include "codegen/clang/check_code.h"
#include "codegen/clang/clang_tools.h"
#include "codegen/clang/copy_text.h"
#include "codegen/clang/format_code.h"

namespace cohort {

namespace {

using namespace clang;

// All functions of a name in namespaces, whatever header they are in but ours.
struct Search {
  const SourceManager& sources;
  const std::string& wanted;
  std::vector<const FunctionDecl*> functions{};  // each once
  const FunctionTemplateDecl* function_template = nullptr;

  void in(const DeclContext& context) {
    for (const Decl* each : context.decls()) {
      if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(each)) in(*cast<DeclContext>(each));
      if (const auto* found = dyn_cast<FunctionTemplateDecl>(each); found && is_wanted(*found))
        function_template = found;
      const auto* function = dyn_cast<FunctionDecl>(each);
      if (function == nullptr || !is_wanted(*function)) continue;
      const FunctionDecl* canonical = function->getCanonicalDecl();
      if (std::find(functions.begin(), functions.end(), canonical) == functions.end())
        functions.push_back(canonical);
    }
  }
  bool is_wanted(const NamedDecl& named) const {
    if (is_private(sources, named.getLocation())) return false;
    if (wanted.find("::") == wanted.npos) return named.getNameAsString() == wanted;
    llvm::StringRef path = wanted;
    path.consume_front("::");
    return qualified(named, true) == path || qualified(named, false) == path;
  }
  // Namespaces without names, and if asked the inline ones, are left out.
  static std::string qualified(const NamedDecl& named, bool with_inline) {
    std::string name = named.getNameAsString();
    for (const DeclContext* in = named.getDeclContext(); in; in = in->getParent())
      if (const auto* space = dyn_cast<NamespaceDecl>(in))
        if (!space->isAnonymousNamespace() && (with_inline || !space->isInline()))
          name = space->getNameAsString() + "::" + name;
    return name;
  }
};

const FunctionDecl& chosen(const ASTContext& context, const std::string& path, const std::string& wanted) {
  const SourceManager& sources = context.getSourceManager();
  Search search{sources, wanted};
  search.in(*context.getTranslationUnitDecl());
  const auto wrong = [&](const NamedDecl& at, const std::string& what) {
    throw UserError(
        diagnostic(DiagId::kCustomSignature, location_of(sources, at.getLocation()), wanted, what));
  };
  if (search.function_template) wrong(*search.function_template, "it is a template");
  if (search.functions.empty())
    throw UserError(diagnostic(DiagId::kCustomNotFound, Location{}, path, wanted));
  if (search.functions.size() > 1) {
    std::string others;
    for (const FunctionDecl* each : search.functions)
      others += (others.empty() ? "" : ", ") + to_string(location_of(sources, each->getLocation()));
    wrong(*search.functions[1], fmt::format("there are several functions of this name: {}", others));
  }
  const FunctionDecl* definition = search.functions[0]->getDefinition();
  if (definition && definition->isDeleted()) wrong(*definition, "it is deleted");
  if (definition == nullptr) wrong(*search.functions[0], "it is declared and has no body");
  return *search.functions[0];
}

CustomReading read_function(const Parsed& parsed, const std::string& path, const std::string& function) {
  CustomReading reading;
  ASTContext& context = parsed.context();
  try {
    Translator translator(context);
    CustomFunction made = translator.function(chosen(context, path, function));
    for (std::size_t d = 0; d < made.definitions.size(); ++d) {
      const FunctionDecl& declared = *translator.declarations()[d];
      if (is_private(context.getSourceManager(), declared.getLocation())) continue;
      made.definitions[d].body = copied_text(context, parsed.tokens(), declared, translator);
    }
    reading.function = std::move(made);
  } catch (const UserError& error) {
    reading.errors = error.diagnostics();
  }
  return reading;
}

CustomHeader parse_header(const std::string& path, const std::string& folder) {
  const auto parsed = std::make_shared<const Parsed>(header_run(path, folder));
  CustomHeader header{parsed->errors(), parsed->files_read()};
  if (header.errors.empty())
    header.read = [parsed, path](const std::string& function) {
      return read_function(*parsed, path, function);
    };
  return header;
}

}  // namespace

}  // namespace cohort

extern "C" const cohort::ClangTools* cohort_clang_tools() {
  static const cohort::ClangTools tools{cohort::parse_header, cohort::check_code, cohort::format_code};
  return &tools;
}
