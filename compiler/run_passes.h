// Runs passes over the functions of a module and does once for all what every pass needs: verifies what came
// out, finds out whether anything changed, prints it, takes the time, leaves out what flags switch off,
// compares values before and after under --verify-passes, and writes a reproducer if a pass fails.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "compiler/compiled.h"
#include "compiler/pass.h"

namespace cohort {

// One run of a pass on one function.
struct PassRun {
  const Pass* pass = nullptr;
  std::string function;
  double seconds = 0;
  bool changed = false;
  std::size_t nodes_before = 0;
  std::size_t nodes_after = 0;
};

class PassRunner {
 public:
  // `out` is where --print-changed prints. Refuses names of passes that do not exist (kUnknownPass).
  PassRunner(Module module, const CompileOptions& options, std::FILE* out = stderr);

  // Runs `pass` on every function and says whether any changed. Does nothing once stopped, or if the pass is
  // exact only under --fp=fast and that is off. Every run on a function counts for --disable=name:n and
  // --pass-limit. Throws InternalError if the pass fails, breaks an invariant, or (--verify-passes) changes a
  // value.
  bool run(const Pass& pass);
  // The passes in order, again and again until none changes anything, at most `rounds` times.
  void run_until_stable(std::span<const std::string_view> passes, int rounds);

  const Module& module() const { return builder_.module(); }
  bool stopped() const { return stopped_; }
  const std::vector<PassRun>& log() const { return log_; }
  Module finish() { return builder_.finish(); }

 private:
  bool run_on(const Pass& pass, std::size_t index);
  std::uint64_t hash_of(std::size_t index);
  Function guarded_run(const Pass& pass, const Function& before);
  // The pass on the functions in the nodes' regions, then on the function itself.
  Function run_with_regions(const Pass& pass, const Function& function);
  std::shared_ptr<const Function> run_on_region(const Pass& pass,
                                                const std::shared_ptr<const Function>& region);
  [[noreturn]] void give_up(const Pass& pass, const Function& before, const std::string& why);

  ModuleBuilder builder_;
  CompileOptions options_;
  std::FILE* out_;
  std::vector<PassRun> log_;
  std::map<std::string_view, int> runs_;  // by pass, counted from 1
  // What a pass found nothing to do on, by pass and index of the function: it does not run on that again.
  std::map<std::pair<std::string_view, std::size_t>, std::shared_ptr<const Function>> settled_;
  std::map<std::size_t, std::pair<std::shared_ptr<const Function>, std::uint64_t>> hashes_;
  // What the pass that runs has made of the functions in regions: one that is applied often is done once.
  std::map<std::shared_ptr<const Function>, std::shared_ptr<const Function>> regions_;
  int total_runs_ = 0;
  bool stopped_ = false;
};

// The pass of that name; kUnknownPass if there is none.
const Pass& known_pass(std::string_view name);

// Just these passes, once each in order, as `cohort opt --passes=a,b` does.
Module run_passes(Module module, std::span<const std::string> passes, const CompileOptions& options,
                  std::FILE* out = stderr);

}  // namespace cohort
