// What runs where, as a problem of prices: clusters that take some time on either device, values that take
// some time to cross. Policies answer it; the cheapest answer is a minimum cut.
//
//   x ──▶ a ──▶ b ──▶ y          host x y: CPU             cut: a, b on the GPU, if what that
//         │           ▲          a, b: 90 or 10            saves (160) is more than one upload
//         └────▶ c ───┘          c: 1, CPU only            of x, one download of a and one of b
//
// State is a cluster that does nothing, gives the old value and takes the new one: so both are where it
// lives, and what the answer costs is what each call costs for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cohort::placement {

enum class Side : std::uint8_t { kCpu, kGpu };

// Times are whole numbers of ticks, so that sums are exact and answers compare.
using Ticks = std::int64_t;
inline constexpr double kTicksPerNs = 64;
Ticks ticks(double ns);  // at most about a minute, which is hopeless enough; never negative
inline double nanoseconds(Ticks ticks) { return static_cast<double>(ticks) / kTicksPerNs; }

enum class Allowed : std::uint8_t { kBoth, kCpu, kGpu };
struct Cluster {
  Ticks cpu = 0, gpu = 0;
  Allowed allowed = Allowed::kBoth;
  bool state = false;  // it stands for a state variable
};
// What one cluster gives and others take. It crosses once, however many take it.
struct Value {
  std::uint32_t producer = 0;
  std::vector<std::uint32_t> readers;  // each at most once; not the producer
  Ticks up = 0, down = 0;
};
struct Problem {
  std::vector<Cluster> clusters;  // in an order of execution
  std::vector<Value> values;
};

using Sides = std::vector<Side>;  // by cluster

// Whether a value crosses, and so what it costs.
bool crosses(const Value& value, const Sides& sides);
struct Cost {  // uploads and downloads without those that are free
  Ticks cpu = 0, gpu = 0, transfers = 0;
  std::size_t uploads = 0, downloads = 0;
  Ticks total() const { return cpu + gpu + transfers; }
};
Cost cost_of(const Problem& problem, const Sides& sides);

enum class Policy : std::uint8_t { kCpu, kGpu, kGreedy, kCut };
inline constexpr Policy kPolicies[] = {Policy::kCpu, Policy::kGpu, Policy::kGreedy, Policy::kCut};
std::string_view policy_name(Policy policy);

// Where each cluster runs. `work`, if given, receives what the cut looked at.
Sides place_by(const Problem& problem, Policy policy, std::uint64_t* work = nullptr);

}  // namespace cohort::placement
