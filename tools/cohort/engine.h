// The ways a function can be run, all with the interpreter's interface: state in, results and new state out.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "ir/interpreter.h"

namespace cohort {

// Run-time errors (index out of range, failed assert) are UserError and leave the state as it was.
using Engine = std::function<CallResult(const Function& function, std::span<const Tensor> inputs,
                                        std::vector<Tensor>& state)>;

Engine interpreter_engine(const Module& module);

// A shared library that `cohort compile --build shared` made from the same graph; its manifest lies beside
// it.
Engine library_engine(const Module& module, const std::string& path);

// The same with what the calls were like so far, as JSON: of a module compiled with --instrument.
struct LoadedLibrary {
  Engine engine;
  std::function<std::string()> profile;
};
LoadedLibrary load_library(const Module& module, const std::string& path, bool instrumented);

// Times calls of a built module: from the initial state, the same inputs each time, the state going on from
// call to call; loops are not shared by threads. Gives the nanoseconds of all calls together.
using Stopwatch =
    std::function<double(const Function& function, std::span<const Tensor> inputs, std::int64_t calls)>;

Stopwatch library_stopwatch(const Module& module, const std::string& path);

}  // namespace cohort
