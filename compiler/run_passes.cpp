#include "compiler/run_passes.h"

#include <algorithm>
#include <chrono>

#include "compiler/structural_hash.h"
#include "compiler/verify_values.h"
#include "ir/diagnostics.h"
#include "ir/text_printer.h"
#include "ir/verify.h"

namespace cohort {

const Pass& known_pass(std::string_view name) {
  if (const Pass* pass = find_pass(name)) return *pass;
  std::vector<std::string_view> names;
  for (const Pass& pass : all_passes()) names.push_back(pass.name);
  Diagnostic d = diagnostic(DiagId::kUnknownPass, {}, name);
  const std::string near = nearest_name(name, names);
  d.hint = near.empty() ? "`cohort opt --list` shows them" : "did you mean `" + near + "`";
  throw UserError(std::move(d));
}

namespace {

// "name:n" or "name".
void check_disabled(std::string_view text) {
  const std::size_t colon = text.find(':');
  known_pass(text.substr(0, colon));
  if (colon == std::string_view::npos) return;
  const std::string_view number = text.substr(colon + 1);
  if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos)
    fail(DiagId::kBadPassNumber, text);
}

bool is_disabled(const CompileOptions& options, std::string_view name, int run) {
  return std::any_of(options.disabled.begin(), options.disabled.end(), [&](const std::string& entry) {
    return entry == name || entry == fmt::format("{}:{}", name, run);
  });
}

Module with_function(const Module& module, const Function& function) {
  Module copy = module;
  for (auto& f : copy.functions)
    if (f->name == function.name) f = std::make_shared<const Function>(function);
  return copy;
}

// Only for a message: must not hide the failure it reports.
bool write_text(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return false;
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && whole;
}

}  // namespace

PassRunner::PassRunner(Module module, const CompileOptions& options, std::FILE* out)
    : builder_(std::move(module)), options_(options), out_(out) {
  for (const std::string& entry : options_.disabled) check_disabled(entry);
  if (!options_.stop_after.empty()) known_pass(options_.stop_after);
}

bool PassRunner::run(const Pass& pass) {
  if (stopped_ || (pass.exactness == Exactness::kFast && !options_.fast)) return false;
  bool changed = false;
  regions_.clear();
  for (std::size_t i = 0; i < builder_.module().functions.size() && !stopped_; ++i)
    if (run_on(pass, i)) changed = true;
  if (pass.name == options_.stop_after) stopped_ = true;
  return changed;
}

void PassRunner::run_until_stable(std::span<const std::string_view> names, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    bool changed = false;
    for (const std::string_view name : names)
      if (run(known_pass(name))) changed = true;
    if (!changed) return;
  }
}

// The structural hash of a function as it stands.
std::uint64_t PassRunner::hash_of(std::size_t index) {
  const std::shared_ptr<const Function>& function = builder_.module().functions[index];
  auto& [known, hash] = hashes_[index];
  if (known != function) {
    known = function;
    hash = structural_hash(*function);
  }
  return hash;
}

bool PassRunner::run_on(const Pass& pass, std::size_t index) {
  const auto settled = settled_.find({pass.name, index});
  if (settled != settled_.end() && settled->second == builder_.module().functions[index]) return false;
  if (options_.pass_limit >= 0 && total_runs_ >= options_.pass_limit) {
    stopped_ = true;
    return false;
  }
  ++total_runs_;
  const int run = ++runs_[pass.name];
  if (is_disabled(options_, pass.name, run)) return false;

  const std::shared_ptr<const Function> before = builder_.module().functions[index];
  const auto start = std::chrono::steady_clock::now();
  Function after = guarded_run(pass, *before);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const std::uint64_t hash = structural_hash(after);
  const bool changed = hash_of(index) != hash;
  log_.push_back({&pass, before->name, time.count(), changed, before->nodes.size(), after.nodes.size()});
  if (!changed) {
    settled_[{pass.name, index}] = before;
    return false;
  }

  const std::vector<std::string> violations = verify(builder_.module(), after);
  if (!violations.empty())
    give_up(pass, *before, fmt::format("it broke an invariant: {}", violations.front()));
  if (options_.verify_passes && pass.exactness == Exactness::kExact)
    if (const auto difference = differing_value(builder_.module(), *before, after))
      give_up(pass, *before, "it changed a value: " + *difference);
  if (options_.print_changed) {
    fmt::print(out_, "# {}, run {} on `{}`: {} nodes, then {}\n{}\n", pass.name, run, before->name,
               before->nodes.size(), after.nodes.size(), print_text(builder_.module(), after));
  }
  builder_.module().functions[index] = std::make_shared<const Function>(std::move(after));
  hashes_[index] = {builder_.module().functions[index], hash};
  return true;
}

Function PassRunner::run_with_regions(const Pass& pass, const Function& function) {
  const auto has_regions = [](const Node& node) { return !node.regions.empty(); };
  if (std::none_of(function.nodes.begin(), function.nodes.end(), has_regions))
    return pass.run(builder_, function, {options_.fast});
  Function inner_done = function;
  for (Node& node : inner_done.nodes)
    for (std::shared_ptr<const Function>& region : node.regions) region = run_on_region(pass, region);
  return pass.run(builder_, inner_done, {options_.fast});
}

std::shared_ptr<const Function> PassRunner::run_on_region(const Pass& pass,
                                                          const std::shared_ptr<const Function>& region) {
  std::shared_ptr<const Function>& made = regions_[region];
  if (!made) made = std::make_shared<const Function>(run_with_regions(pass, *region));
  return made;
}

Function PassRunner::guarded_run(const Pass& pass, const Function& before) {
  try {
    return run_with_regions(pass, before);
  } catch (const UserError&) {
    throw;  // what is wrong with the graph can show as late as here: no gradient, say
  } catch (const std::exception& error) {
    give_up(pass, before, error.what());
  }
}

void PassRunner::give_up(const Pass& pass, const Function& before, const std::string& why) {
  std::string message = fmt::format("pass `{}` on function `{}`: {}", pass.name, before.name, why);
  if (!options_.reproducer.empty()) {
    const std::string text =
        fmt::format("# cohort opt {} --passes={}{}{}\n# {}\n{}", options_.reproducer, pass.name,
                    options_.fast ? " --fp=fast" : "", options_.verify_passes ? " --verify-passes" : "",
                    message, print_text(with_function(builder_.module(), before)));
    if (write_text(options_.reproducer, text))
      message += fmt::format(" (reproducer: {})", options_.reproducer);
  }
  internal_error(message);
}

Module run_passes(Module module, std::span<const std::string> passes, const CompileOptions& options,
                  std::FILE* out) {
  PassRunner runner(std::move(module), options, out);
  for (const std::string& name : passes) runner.run(known_pass(name));
  return runner.finish();
}

}  // namespace cohort
