// Directives: variables, functions, and what stands in a function's body besides instructions.
#include "parser.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "../src/arguments.h"
#include "../src/memory.h"
#include "../src/races.h"
#include "../src/report.h"
#include "frame.h"

namespace cuda_check::ptx {
namespace {

size_t aligned(size_t at, size_t align) { return align ? (at + align - 1) / align * align : at; }

uint64_t place(const Declaration& d, size_t& used) {
  used = aligned(used, d.align ? d.align : static_cast<size_t>(bytes_of(d.type)));
  uint64_t at = used;
  used += d.bytes();
  return at;
}

std::vector<unsigned char> initial_bytes(const Declaration& d) {
  std::vector<unsigned char> bytes(d.bytes());
  if (d.initial.empty()) return bytes;
  bool list = d.initial[0] == '{';
  std::string values = list ? d.initial.substr(1, d.initial.size() - 2) : d.initial;
  size_t at = 0, each = static_cast<size_t>(bytes_of(d.type));
  for (const std::string& v : split(values, ',')) {
    bool floating = v.size() > 2 && v[0] == '0' && std::strchr("fFdD", v[1]);
    uint64_t bits = floating ? std::strtoull(v.c_str() + 2, nullptr, 16)
                             : static_cast<uint64_t>(std::strtoll(v.c_str(), nullptr, 0));
    if (!floating && v[0] != '-') bits = std::strtoull(v.c_str(), nullptr, 0);
    if (at + each <= bytes.size()) std::memcpy(bytes.data() + at, &bits, each);
    at += each;
  }
  return bytes;
}

// Global variables are allocations of the device, so that overruns show; constant ones lie with the kernels'
// arguments, which no kernel may write.
void define_variable(const Declaration& d, bool constant, Module& module) {
  if (d.initial.find("generic(") != std::string::npos)
    unsupported("PTX variable with addresses: %s", d.name.c_str());
  std::vector<unsigned char> bytes = initial_bytes(d);
  Variable v{nullptr, bytes.size()};
  if (constant) {
    v.address = new_arguments(bytes.size());
    std::memcpy(v.address, bytes.data(), bytes.size());
  } else {
    Allocation* a = allocate(bytes.size());
    if (!a) unsupported("no memory for PTX variable %s", d.name.c_str());
    OpenMemory open;
    v.address = reinterpret_cast<void*>(a->base);
    std::memcpy(v.address, bytes.data(), bytes.size());
    set_value({a->cells, 0, a->base, bytes.size(), false}, true);
  }
  module.variables[d.name] = v;
}

Operand offset(uint64_t value, bool in_dynamic_shared = false) {
  Operand o;
  o.kind = Operand::Kind::kImmediate;
  o.value = value;
  o.in_dynamic_shared = in_dynamic_shared;
  return o;
}

// Dynamic shared memory has no place of its own: all of it starts behind the static one.
Operand place_shared(const Declaration& d, size_t& used) {
  uint64_t at = place(d, used);
  bool dynamic = d.external || d.unsized;
  return offset(dynamic ? 0 : at, dynamic);
}

std::vector<Parameter> parse_parameters(const std::string& text, Scope& scope) {
  std::vector<Parameter> places;
  for (const std::string& p : split(text, ',')) {
    Declaration d = parse_declaration(p);
    size_t at = place(d, scope.function->parameter_bytes);
    scope.here().variables[d.name] = offset(at);
    places.push_back({at, d.bytes()});
  }
  return places;
}

// `.reg .b32 %a, %r<10>`
void declare_registers(const std::string& text, Scope& scope) {
  for (const std::string& part : split(text, ',')) {
    std::string name = words(part).back();
    size_t bracket = name.find('<');
    if (bracket == std::string::npos) {
      scope.here().registers[name] = scope.function->registers++;
    } else {
      scope.here().families[name.substr(0, bracket)] = std::strtoull(name.c_str() + bracket + 1, nullptr, 0);
    }
  }
}

void parse_directive(const std::string& s, Scope& scope) {
  if (s.rfind(".reg", 0) == 0) return declare_registers(s, scope);
  if (s.rfind(".pragma", 0) == 0) return;
  Declaration d = parse_declaration(s);
  Operand& variable = scope.here().variables[d.name];
  if (s.find(".shared") != std::string::npos) {
    variable = place_shared(d, scope.function->shared_bytes);
  } else if (s.rfind(".local", 0) == 0) {
    variable = offset(place(d, scope.function->local_bytes));
  } else if (s.rfind(".param", 0) == 0) {
    variable = offset(place(d, scope.function->parameter_bytes));
  } else {
    unsupported("PTX directive: %s", s.c_str());
  }
}

// A label, a table of labels, a directive or an instruction; false at the end of the body.
bool parse_statement(Cursor& cursor, Scope& scope) {
  if (cursor.starts_with(".loc ") || cursor.starts_with(".loc\t")) {
    std::vector<std::string> w = words(cursor.rest_of_line());
    if (w.size() > 2) scope.line = std::atoi(w[2].c_str());
    return true;
  }
  if (cursor.peek() == '{' || cursor.peek() == '}') {
    cursor.peek() == '{' ? scope.open_block() : scope.close_block();
    cursor.skip(1);
    return scope.block > 0;
  }
  char stop = 0;
  Cursor after = cursor;
  std::string head = after.until(":;", &stop);
  bool is_label = stop == ':' && head.find_first_of(" \t,[") == std::string::npos && after.peek() != ':';
  if (is_label) {
    cursor.until(":");
    if (!cursor.starts_with(".branchtargets")) {
      scope.here().labels[head] = scope.function->code.size();
      return true;
    }
    std::string targets = cursor.until(";");
    scope.here().tables[head] = split(targets.substr(std::strlen(".branchtargets")), ',');
    return true;
  }
  std::string s = cursor.until(";");
  if (s.empty()) return true;
  if (s[0] == '.') {
    parse_directive(s, scope);
  } else {
    if (!scope.line) scope.line = cursor.line();
    parse_instruction(s, scope);
  }
  return true;
}

int label(const std::string& name, int block, const Scope& scope) {
  for (; block >= 0; block = scope.blocks[block].outer) {
    const auto& labels = scope.blocks[block].labels;
    if (auto found = labels.find(name); found != labels.end()) return static_cast<int>(found->second);
  }
  unsupported("PTX label %s", name.c_str());
}

std::vector<int> targets(const Branch& branch, const Scope& scope) {
  for (int block = branch.block; block >= 0; block = scope.blocks[block].outer) {
    const auto& tables = scope.blocks[block].tables;
    auto table = tables.find(branch.target);
    if (table == tables.end()) continue;
    std::vector<int> found;
    for (const std::string& name : table->second) found.push_back(label(name, block, scope));
    return found;
  }
  return {label(branch.target, branch.block, scope)};
}

void resolve_labels(Scope& scope) {
  for (auto& [number, branch] : scope.branches) scope.function->code[number].targets = targets(branch, scope);
  for (auto& [number, name] : scope.calls) {
    auto found = scope.module.functions.find(name);
    if (found == scope.module.functions.end()) unsupported("PTX call of %s", name.c_str());
    scope.function->code[number].callee = found->second.get();
  }
}

// Dynamic shared memory starts behind the static one.
void relocate_dynamic_shared(Function& f) {
  f.shared_bytes = aligned(f.shared_bytes, 16);
  for (Instruction& i : f.code) {
    for (Operand& o : i.operands) {
      if (o.in_dynamic_shared) o.value += f.shared_bytes;
    }
  }
}

struct ModuleScope {
  std::map<std::string, Operand> shared;
  size_t shared_bytes = 0;
};

void parse_body(Cursor& cursor, Scope& scope) {
  while (!cursor.at_end() && parse_statement(cursor, scope)) {
  }
  resolve_labels(scope);
  relocate_dynamic_shared(*scope.function);
}

// `.visible .entry name (parameters) .maxntid 256, 1, 1 {` or `.func (result) name (parameters) {` or `;`
void parse_function(Cursor& cursor, const ModuleScope& outer, Module& module) {
  char stop = 0;
  std::string head = cursor.until("({;", &stop);
  Scope scope(module);
  std::string result_text;
  if (words(head).back() == ".func") {
    result_text = cursor.until(")");
    head = cursor.until("({;", &stop);
  }
  std::string name = words(head).back();
  auto& function = module.functions[name];
  if (!function) function = std::make_unique<Function>();
  *function = Function{};
  scope.function = function.get();
  function->name = demangled(name.c_str());
  function->name.resize(std::min(function->name.find('('), function->name.size()));
  function->shared_bytes = outer.shared_bytes;
  scope.here().variables = outer.shared;
  function->parameters = stop == '(' ? parse_parameters(cursor.until(")"), scope) : std::vector<Parameter>{};
  function->results = parse_parameters(result_text, scope);
  std::string directives;
  while (!cursor.at_end() && cursor.peek() != '{' && cursor.peek() != ';')
    directives += cursor.peek(), cursor.skip(1);
  if (size_t at = directives.find(".maxntid"); at != std::string::npos) {
    function->most_threads =
        static_cast<unsigned>(std::atoi(directives.c_str() + at + std::strlen(".maxntid")));
  }
  if (cursor.peek() == ';') return cursor.skip(1);
  parse_body(cursor, scope);
  if (function->parameter_bytes > kMostParameterBytes)
    unsupported("PTX parameters of %s: too many", name.c_str());
}

void parse_variable(const std::string& s, ModuleScope& outer, Module& module) {
  Declaration d = parse_declaration(s);
  if (s.find(".shared") != std::string::npos) {
    outer.shared[d.name] = place_shared(d, outer.shared_bytes);
  } else if (s.find(".global") != std::string::npos || s.find(".const") != std::string::npos) {
    define_variable(d, s.find(".const") != std::string::npos, module);
  } else {
    unsupported("PTX directive: %s", s.c_str());
  }
}

}  // namespace

Declaration parse_declaration(const std::string& text) {
  Declaration d;
  size_t equals = text.find('=');
  if (equals != std::string::npos) d.initial = trimmed(text.substr(equals + 1));
  std::vector<std::string> w = words(text.substr(0, equals));
  for (size_t i = 0; i < w.size(); i++) {
    if (w[i] == ".align" || w[i] == ".ptr") {
      if (w[i] == ".align") d.align = std::strtoul(w[++i].c_str(), nullptr, 0);
    } else if (w[i] == ".extern") {
      d.external = true;
    } else if (w[i][0] != '.') {
      d.name += w[i];
    } else if (Type t = parse_type(w[i].substr(1)); t != Type::kNone) {
      d.type = t;
      d.align = 0;  // of a pointer parameter's pointee until here
    }
  }
  // The alignment of the variable itself stands before its type.
  for (size_t i = 0; i + 1 < w.size() && parse_type(w[i].substr(1)) == Type::kNone; i++) {
    if (w[i] == ".align") d.align = std::strtoul(w[i + 1].c_str(), nullptr, 0);
  }
  size_t bracket = d.name.find('[');
  if (bracket != std::string::npos) {
    d.unsized = d.name[bracket + 1] == ']';
    d.count = d.unsized ? 0 : std::strtoull(d.name.c_str() + bracket + 1, nullptr, 0);
    d.name = d.name.substr(0, bracket);
  }
  return d;
}

void parse(const std::string& text, Module& module) {
  Cursor cursor(text);
  ModuleScope outer;
  while (!cursor.at_end()) {
    if (cursor.starts_with(".version") || cursor.starts_with(".target") ||
        cursor.starts_with(".address_size") || cursor.starts_with(".file")) {
      cursor.rest_of_line();
    } else if (cursor.starts_with(".section")) {
      cursor.skip_block();
    } else {
      Cursor ahead = cursor;
      std::string head = ahead.until("({;");
      bool is_function = head.find(".entry") != std::string::npos || head.find(".func") != std::string::npos;
      if (is_function) {
        parse_function(cursor, outer, module);
      } else if (std::string s = cursor.until(";"); !s.empty()) {
        parse_variable(s, outer, module);
      }
    }
  }
}

}  // namespace cuda_check::ptx
