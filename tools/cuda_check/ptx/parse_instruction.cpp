// One instruction's text: guard, opcode with modifiers, operands.
#include <cctype>
#include <cstdlib>
#include <set>

#include "../src/report.h"
#include "frame.h"
#include "parser.h"

namespace cuda_check::ptx {
namespace {

const std::map<std::string, Handler>& handlers() {
  static const std::map<std::string, Handler> table{
#define OPCODE(name, handler) {#name, handler},
#include "opcodes.def"
#undef OPCODE
  };
  return table;
}

const std::map<std::string, Space> kSpaces{{"global", Space::kGlobal},      {"shared", Space::kShared},
                                           {"local", Space::kLocal},        {"param", Space::kParam},
                                           {"const", Space::kConst},        {"shared::cta", Space::kShared},
                                           {"param::entry", Space::kParam}, {"param::func", Space::kParam}};
// Rounding modes; those with an i give whole numbers.
const std::map<std::string, Rounding> kRoundings{
    {"rn", Rounding::kNearest}, {"rz", Rounding::kZero}, {"rm", Rounding::kDown}, {"rp", Rounding::kUp}};
// Unordered forms (with a u) hold for NaNs, too. lo, ls, hi, hs compare unsigned integers.
const std::map<std::string, Compare> kCompares{
    {"eq", Compare::kEq},      {"ne", Compare::kNe},  {"lt", Compare::kLt},  {"le", Compare::kLe},
    {"gt", Compare::kGt},      {"ge", Compare::kGe},  {"lo", Compare::kLt},  {"ls", Compare::kLe},
    {"hi", Compare::kGt},      {"hs", Compare::kGe},  {"equ", Compare::kEq}, {"neu", Compare::kNe},
    {"ltu", Compare::kLt},     {"leu", Compare::kLe}, {"gtu", Compare::kGt}, {"geu", Compare::kGe},
    {"num", Compare::kNumber}, {"nan", Compare::kNan}};
const std::map<std::string, Logic> kLogics{{"and", Logic::kAnd}, {"or", Logic::kOr}, {"xor", Logic::kXor}};
// Modifiers that say nothing about the result here: memory order and scope, caches, precision, alignment of
// barriers.
const std::set<std::string> kWithoutEffect{
    "sync",  "aligned", "uni", "nc",      "volatile", "relaxed", "acquire", "release", "acq_rel",
    "sc",    "weak",    "gpu", "cta",     "sys",      "gl",      "approx",  "full",    "ca",
    "cg",    "cs",      "cv",  "wb",      "wt",       "cc",      "lo",      "noftz",   "L2",
    "proxy", "u",       "lu",  "idx_uni", "noreturn", "alias",   "async"};

const std::map<std::string, uint64_t> kSpecial{
    {"%tid.x", 0},        {"%tid.y", 1},        {"%tid.z", 2},        {"%ntid.x", 3},
    {"%ntid.y", 4},       {"%ntid.z", 5},       {"%ctaid.x", 6},      {"%ctaid.y", 7},
    {"%ctaid.z", 8},      {"%nctaid.x", 9},     {"%nctaid.y", 10},    {"%nctaid.z", 11},
    {"%laneid", 12},      {"%warpid", 13},      {"%lanemask_lt", 14}, {"%lanemask_eq", 15},
    {"%lanemask_le", 16}, {"%lanemask_gt", 17}, {"%lanemask_ge", 18}, {"WARP_SZ", 19}};

uint64_t parse_number(const std::string& s) {
  // 0f3F800000 and 0d3FF0000000000000 are bits of floats.
  if (s.size() > 2 && s[0] == '0' && std::string("fFdD").find(s[1]) != std::string::npos) {
    return std::strtoull(s.c_str() + 2, nullptr, 16);
  }
  return s[0] == '-' ? static_cast<uint64_t>(std::strtoll(s.c_str(), nullptr, 0))
                     : std::strtoull(s.c_str(), nullptr, 0);
}

// The address or offset of a variable.
Operand parse_variable(const std::string& name, const Scope& scope) {
  if (const Operand* variable = scope.find_variable(name)) return *variable;
  auto found = scope.module.variables.find(name);
  if (found == scope.module.variables.end()) unsupported("PTX operand %s", name.c_str());
  Operand o;
  o.kind = Operand::Kind::kImmediate;
  o.value = reinterpret_cast<uint64_t>(found->second.address);
  return o;
}

Operand parse_address(const std::string& inner, Scope& scope) {
  size_t plus = inner.find('+');
  Operand o = parse_operand(trimmed(inner.substr(0, plus)), scope);
  o.kind = Operand::Kind::kAddress;
  if (plus != std::string::npos) o.value += parse_number(trimmed(inner.substr(plus + 1)));
  return o;
}

bool is_mode(const std::string& opcode, const std::string& modifier) {
  static const std::map<std::string, std::set<std::string>> modes{
      {"shfl", {"idx", "up", "down", "bfly"}},
      {"vote", {"all", "any", "ballot", "uni"}},
      {"match", {"any", "all"}},
      {"atom", {"add", "exch", "min", "max", "cas", "and", "or", "xor", "inc", "dec"}},
      {"red", {"add", "min", "max", "and", "or", "xor", "inc", "dec"}},
      {"redux", {"add", "min", "max", "and", "or", "xor"}},
      {"bar", {"warp", "red", "arrive", "popc", "and", "or"}},
      {"barrier", {"red", "arrive", "popc", "and", "or"}},
      {"shf", {"l", "r", "wrap", "clamp"}},
      {"prmt", {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}},
      {"bfind", {"shiftamt"}},
      {"testp", {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}}};
  auto found = modes.find(opcode);
  return found != modes.end() && found->second.count(modifier);
}

bool parse_comparison(const std::string& m, Instruction& i) {
  if (auto c = kCompares.find(m); c != kCompares.end()) {
    i.compare = c->second;
    i.unordered = m.size() == 3 && m.back() == 'u' && m != "num";
    return true;
  }
  auto l = kLogics.find(m);
  if (l == kLogics.end()) return false;
  i.logic = l->second;
  return true;
}

bool parse_rounding(const std::string& m, Instruction& i) {
  bool integral = m.size() == 3 && m[2] == 'i';
  auto r = kRoundings.find(integral ? m.substr(0, 2) : m);
  if (r == kRoundings.end()) return false;
  i.rounding = r->second;
  i.integral = integral;
  return true;
}

bool parse_flag(const std::string& m, const std::string& opcode, Instruction& i) {
  bool product = opcode == "mul" || opcode == "mad" || opcode == "madc";
  const std::pair<const char*, bool*> flags[] = {{"wide", &i.wide}, {"ftz", &i.flush}, {"sat", &i.saturate},
                                                 {"NaN", &i.nan},   {"to", &i.to},     {"cc", &i.carry_out}};
  for (auto& [name, flag] : flags) {
    if (m == name) return *flag = true, true;
  }
  if (m == "hi" && product) return i.high = true, true;
  if (m == "v2" || m == "v4") return i.lanes = m == "v2" ? 2 : 4, true;
  return false;
}

void parse_modifier(const std::string& m, const std::string& opcode, Instruction& i,
                    const std::string& text) {
  if (is_mode(opcode, m)) {
    i.mode += (i.mode.empty() ? "" : ".") + m;
  } else if (Type t = parse_type(m); t != Type::kNone) {
    (i.type == Type::kNone ? i.type : i.source) = t;
  } else if (auto s = kSpaces.find(m); s != kSpaces.end()) {
    i.space = s->second;
  } else if ((opcode == "setp" && parse_comparison(m, i)) || parse_rounding(m, i) ||
             parse_flag(m, opcode, i)) {
    return;
  } else if (!kWithoutEffect.count(m) && m.rfind("L1", 0) != 0 && m.rfind("L2", 0) != 0 && m != "idx") {
    unsupported("PTX modifier .%s in: %s", m.c_str(), text.c_str());
  }
}

std::string take_guard(const std::string& text, Scope& scope, Instruction& i) {
  if (text[0] != '@') return text;
  size_t blank = text.find_first_of(" \t");
  std::string guard = text.substr(1, blank - 1);
  i.predicate_negated = guard[0] == '!';
  i.predicate = scope.register_of(i.predicate_negated ? guard.substr(1) : guard);
  return trimmed(text.substr(blank));
}

// call (result), name, (arguments): operands are the places of results, then of arguments.
void parse_call(const std::vector<std::string>& parts, Scope& scope, Instruction& i) {
  size_t name = parts[0][0] == '(' ? 1 : 0;
  scope.calls[scope.function->code.size()] = parts[name];
  for (size_t k = 0; k < parts.size(); k++) {
    if (parts[k][0] != '(') continue;
    for (const std::string& p : split(parts[k].substr(1, parts[k].size() - 2), ',')) {
      i.operands.push_back(parse_operand(p, scope));
    }
  }
}

void parse_operands(const std::string& opcode, const std::string& rest, Scope& scope, Instruction& i) {
  std::vector<std::string> parts = split(rest, ',');
  if (opcode == "bra") {
    scope.branches[scope.function->code.size()] = {scope.block, parts[0]};
    return;
  }
  if (opcode == "brx") {
    i.operands.push_back(parse_operand(parts[0], scope));
    scope.branches[scope.function->code.size()] = {scope.block, parts[1]};
    return;
  }
  if (opcode == "call") return parse_call(parts, scope, i);
  if (size_t bar = parts.empty() ? std::string::npos : parts[0].find('|'); bar != std::string::npos) {
    i.second = scope.register_of(trimmed(parts[0].substr(bar + 1)));
    parts[0] = trimmed(parts[0].substr(0, bar));
  }
  for (const std::string& p : parts) i.operands.push_back(parse_operand(p, scope));
}

}  // namespace

bool Block::has_member(const std::string& name) const {
  for (const auto& [prefix, count] : families) {
    if (name.size() <= prefix.size() || name.compare(0, prefix.size(), prefix) != 0) continue;
    char* end = nullptr;
    bool is_digit = std::isdigit(static_cast<unsigned char>(name[prefix.size()])) != 0;
    if (is_digit && std::strtoull(name.c_str() + prefix.size(), &end, 10) < count && !*end) return true;
  }
  return false;
}

void Scope::open_block() {
  blocks.emplace_back();
  blocks.back().outer = block;
  block = static_cast<int>(blocks.size()) - 1;
}

int Scope::find_register(const std::string& name) {
  for (int b = block; b >= 0; b = blocks[b].outer) {
    auto& registers = blocks[b].registers;
    if (auto found = registers.find(name); found != registers.end()) return found->second;
    if (blocks[b].has_member(name)) return registers[name] = function->registers++;
    if (blocks[b].variables.count(name)) return -1;
  }
  return -1;
}

int Scope::register_of(const std::string& name) {
  int found = find_register(name);
  if (found < 0) unsupported("PTX register %s", name.c_str());
  return found;
}

const Operand* Scope::find_variable(const std::string& name) const {
  for (int b = block; b >= 0; b = blocks[b].outer) {
    const auto& variables = blocks[b].variables;
    if (auto found = variables.find(name); found != variables.end()) return &found->second;
  }
  return nullptr;
}

Operand parse_operand(const std::string& text, Scope& scope) {
  Operand o;
  if (text == "_") {
    o.kind = Operand::Kind::kRegister;
    return o;
  }
  if (text[0] == '{') {
    o.kind = Operand::Kind::kVector;
    for (const std::string& lane : split(text.substr(1, text.size() - 2), ','))
      o.lanes.push_back(parse_operand(lane, scope));
    return o;
  }
  if (text[0] == '[') return parse_address(trimmed(text.substr(1, text.size() - 2)), scope);
  if (text[0] == '!') {
    o = parse_operand(text.substr(1), scope);
    o.negated = true;
    return o;
  }
  if (auto s = kSpecial.find(text); s != kSpecial.end()) {
    o.kind = Operand::Kind::kSpecial;
    o.value = s->second;
  } else if (int found = scope.find_register(text); found >= 0) {
    o.kind = Operand::Kind::kRegister;
    o.index = found;
  } else if (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-') {
    o.kind = Operand::Kind::kImmediate;
    o.value = parse_number(text);
  } else {
    return parse_variable(text, scope);
  }
  return o;
}

void parse_instruction(const std::string& whole, Scope& scope) {
  Instruction i;
  i.line = scope.line;
  i.text = whole;
  std::string text = take_guard(whole, scope, i);
  size_t blank = text.find_first_of(" \t");
  std::string rest = blank == std::string::npos ? "" : trimmed(text.substr(blank));
  std::vector<std::string> modifiers = split(text.substr(0, blank), '.');
  const std::string opcode = modifiers[0];
  auto handler = handlers().find(opcode);
  if (handler == handlers().end()) unsupported("PTX instruction: %s", whole.c_str());
  i.execute = handler->second;
  i.reduction = opcode == "red";
  for (size_t k = 1; k < modifiers.size(); k++) parse_modifier(modifiers[k], opcode, i, whole);
  parse_operands(opcode, rest, scope, i);
  scope.function->code.push_back(std::move(i));
}

}  // namespace cuda_check::ptx
