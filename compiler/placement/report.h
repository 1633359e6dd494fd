// What placement decided and what it reckoned with: `cohort explain --placement` shows it. Times are of one
// call of every function, or of an average call where a profile says how often each is called.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cohort {

struct PlacementReport {
  struct PolicyCost {
    std::string policy;
    double cpu_ns = 0, gpu_ns = 0, transfer_ns = 0;
    std::size_t uploads = 0, downloads = 0;
  };
  struct KernelCost {
    std::size_t program = 0;
    std::string kernel;
    double cpu_ns = 0, gpu_ns = 0;
    bool on_gpu = false;
    std::string kept;  // why it cannot run on the GPU
  };
  struct Crossing {
    std::size_t program = 0;
    std::string value;
    bool up = false;
    double bytes = 0, ns = 0;
  };
  struct Home {
    std::vector<std::string> states;  // side by side
    bool on_gpu = false;
  };
  std::string policy, cpu, gpu;      // which policy, by the profile of which machines
  std::vector<PolicyCost> policies;  // all of them, side by side
  std::vector<KernelCost> kernels;
  std::vector<Crossing> crossings;
  std::vector<Home> homes;
};

}  // namespace cohort
