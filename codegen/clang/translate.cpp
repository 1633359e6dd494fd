#include "codegen/clang/translate.h"

#include "codegen/clang/body_translator.h"

namespace cohort {

void Translator::signature(const FunctionDecl& function, CustomDefinition& definition) {
  const auto wrong = [&](SourceLocation at, const std::string& what) {
    throw UserError(diagnostic(DiagId::kCustomSignature, location_of(sources_, at), definition.name, what));
  };
  if (function.isVariadic()) wrong(function.getLocation(), "it takes any number of arguments");
  for (const ParmVarDecl* parameter : function.parameters()) {
    const std::optional<DType> dtype = scalar_dtype(parameter->getType());
    std::string name = parameter->getNameAsString(), own = local_name(*parameter);
    if (name.empty()) {
      name = fmt::format("unnamed_{}", definition.parameters.size());
      own = "own_" + name;
    }
    if (!dtype || parameter->getType().isVolatileQualified())
      wrong(parameter->getLocation(),
            fmt::format("parameter `{}` has type `{}`, which is no scalar of a graph", name,
                        parameter->getType().getAsString()));
    definition.arguments +=
        fmt::format("{}{} {}", definition.arguments.empty() ? "" : ", ", cpp_type(*dtype), own);
    definition.parameters.push_back({std::move(name), *dtype});
  }
  const std::optional<DType> result = scalar_dtype(function.getReturnType());
  if (!result)
    wrong(function.getLocation(), fmt::format("the result has type `{}`, which is no scalar of a graph",
                                              function.getReturnType().getAsString()));
  definition.dtype = *result;
  definition.result = cpp_type(*result);
}

std::uint32_t Translator::definition(const FunctionDecl& declared) {
  const FunctionDecl* canonical = declared.getCanonicalDecl();
  if (const auto known = known_.find(canonical); known != known_.end()) return known->second;
  const FunctionDecl& function = *declared.getDefinition();
  CustomDefinition made;
  made.name = function.getNameAsString();
  made.location = location_of(sources_, function.getLocation());
  signature(function, made);
  if (is_private(sources_, function.getLocation())) made.name = "rt_std::" + made.name;
  open_.push_back(canonical);
  BodyTranslator body(*this, function, made);
  if (!isa<CompoundStmt>(function.getBody()))
    refuse(sources_, function.getBody()->getBeginLoc(), made.name, "catches exceptions");
  made.meaning = body.statement(*function.getBody());
  made.locals = body.locals();
  open_.pop_back();
  result_.definitions.push_back(std::move(made));
  declarations_.push_back(&function);
  const auto index = static_cast<std::uint32_t>(result_.definitions.size() - 1);
  known_.emplace(canonical, index);
  return index;
}

CustomFunction Translator::function(const FunctionDecl& found) {
  definition(found);
  return std::move(result_);
}

}  // namespace cohort
