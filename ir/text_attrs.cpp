#include <algorithm>

#include "ir/text_parsing.h"

namespace cohort {
namespace {

IntList int_list(TextCursor& cursor) {
  IntList list;
  cursor.expect("[");
  while (!cursor.accept("]")) {
    if (cursor.accept_word("null")) {
      list.emplace_back();
    } else {
      const Location where = cursor.location();
      std::string_view digits = cursor.digits();
      std::optional<std::int64_t> number = parse_int64(digits);
      if (!number) throw UserError(number_diagnostic(NumberFault::kTooLarge, where, digits, DType::kI64));
      list.push_back(number);
    }
    if (!cursor.sees("]")) cursor.expect(",");
  }
  return list;
}

Shape shape(TextCursor& cursor, const Dims& dims) {
  const Location where = cursor.location();
  std::string_view text = cursor.balanced('[', ']');
  std::string_view rest = text.substr(1, text.size() - 2);
  Shape shape;
  while (rest.find_first_not_of(" \t\r\n") != rest.npos) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view entry = rest.substr(0, comma);
    std::optional<Dim> dim = parse_dim(entry, dims);
    // -1 is no dim, but reshape takes it.
    const std::size_t begin = std::min(entry.find_first_not_of(' '), entry.size());
    if (std::optional<std::int64_t> number = parse_int64(entry.substr(begin))) dim = Dim(*number);
    if (!dim)
      throw UserError(diagnostic(DiagId::kNoType, where, text, fmt::format("`{}` is no extent", entry)));
    shape.push_back(*dim);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return shape;
}

Strings strings(TextCursor& cursor) {
  Strings list;
  cursor.expect("[");
  while (!cursor.accept("]")) {
    list.push_back(cursor.quoted());
    if (!cursor.sees("]")) cursor.expect(",");
  }
  return list;
}

Attr parse_attr(TextCursor& cursor, AttrKind kind, const Dims& dims) {
  const Location where = cursor.location();
  switch (kind) {
    case AttrKind::kBool:
      if (cursor.accept_word("true")) return true;
      if (cursor.accept_word("false")) return false;
      cursor.fail_expected("`true` or `false`");
    case AttrKind::kInt: {
      std::string_view digits = cursor.digits();
      std::optional<std::int64_t> number = parse_int64(digits);
      if (!number) throw UserError(number_diagnostic(NumberFault::kTooLarge, where, digits, DType::kI64));
      return *number;
    }
    case AttrKind::kFloat: {
      std::string_view text = cursor.number();
      Scalar scalar;
      NumberFault fault = parse_number(text, DType::kF64, scalar);
      if (fault != NumberFault::kNone) throw UserError(number_diagnostic(fault, where, text, DType::kF64));
      double value = 0;
      std::memcpy(&value, &scalar.bits, sizeof value);
      return value;
    }
    case AttrKind::kString:
      return cursor.quoted();
    case AttrKind::kInts:
      return int_list(cursor);
    case AttrKind::kShape:
      return shape(cursor, dims);
    case AttrKind::kDType: {
      std::optional<DType> dtype = parse_dtype(cursor.identifier());
      if (!dtype) throw UserError(diagnostic(DiagId::kTextSyntax, where, "something else", "a dtype"));
      return *dtype;
    }
    case AttrKind::kStrings:
      return strings(cursor);
    case AttrKind::kCustom:
      break;
  }
  internal_error("an attribute of no kind");
}

}  // namespace

Attrs parse_text_attrs(TextCursor& cursor, const OpDef& op, const Dims& dims) {
  Attrs attrs;
  if (!cursor.accept("{")) return attrs;
  while (!cursor.accept("}")) {
    const Location where = cursor.location();
    std::string name(cursor.identifier());
    auto spec =
        std::find_if(op.attrs.begin(), op.attrs.end(), [&](const AttrSpec& s) { return s.name == name; });
    if (spec == op.attrs.end() || spec->kind == AttrKind::kCustom)
      throw UserError(diagnostic(DiagId::kUnknownAttribute, where, op.name, name));
    if (find_attr(attrs, name)) throw UserError(diagnostic(DiagId::kDuplicateName, where, name));
    cursor.expect("=");
    set_attr(attrs, name, parse_attr(cursor, spec->kind, dims));
    if (!cursor.sees("}")) cursor.expect(",");
  }
  return attrs;
}

}  // namespace cohort
