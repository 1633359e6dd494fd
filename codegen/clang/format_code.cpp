#include "codegen/clang/format_code.h"

#include <clang/Format/Format.h>

namespace cohort {

std::string format_code(const CodeFile& file) {
  clang::format::FormatStyle style = clang::format::getGoogleStyle(clang::format::FormatStyle::LK_Cpp);
  style.ColumnLimit = 110;
  style.DerivePointerAlignment = false;
  style.SortIncludes = clang::format::FormatStyle::SI_Never;  // their order means something
  const clang::tooling::Range all(0, static_cast<unsigned>(file.text.size()));
  const clang::tooling::Replacements changes = clang::format::reformat(style, file.text, {all}, file.name);
  llvm::Expected<std::string> formatted = clang::tooling::applyAllReplacements(file.text, changes);
  if (formatted) return *formatted;
  llvm::consumeError(formatted.takeError());
  return file.text;
}

}  // namespace cohort
