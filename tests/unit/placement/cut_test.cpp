// The cut against every answer there is, and against the other policies; how its work grows.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "compiler/placement/min_cut.h"
#include "problems.h"

namespace cohort::placement {
namespace {

bool is_allowed(const Problem& problem, const Sides& sides) {
  for (std::size_t c = 0; c < sides.size(); ++c) {
    const Allowed allowed = problem.clusters[c].allowed;
    if (allowed != Allowed::kBoth && (allowed == Allowed::kGpu) != (sides[c] == Side::kGpu)) return false;
  }
  return true;
}

// Of the cheapest answers the one with the fewest clusters on the GPU, found among all.
Sides best_of_all(const Problem& problem) {
  const std::size_t count = problem.clusters.size();
  std::optional<Sides> best;
  Ticks least = 0;
  int fewest = 0;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << count; ++bits) {
    Sides sides;
    for (std::size_t c = 0; c < count; ++c) sides.push_back((bits >> c & 1) != 0 ? Side::kGpu : Side::kCpu);
    if (!is_allowed(problem, sides)) continue;
    const Ticks total = cost_of(problem, sides).total();
    const int on_gpu = __builtin_popcountll(bits);
    if (best && (total > least || (total == least && on_gpu >= fewest))) continue;
    best = sides;
    least = total;
    fewest = on_gpu;
  }
  return *best;
}

}  // namespace

TEST_CASE("the cut is the cheapest of all answers, and of equals the one with least on the GPU") {
  std::size_t moved = 0, crossed = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    ProblemShape shape;
    shape.clusters = 2 + static_cast<std::uint32_t>(seed % 11);
    shape.reach = 1 + static_cast<std::uint32_t>(seed % 7);
    shape.most_crossing = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 12 : 60;
    const Problem problem = random_problem(seed, shape);
    const Sides found = place_by(problem, Policy::kCut), best = best_of_all(problem);
    CHECK_MESSAGE(cost_of(problem, found).total() == cost_of(problem, best).total(), "seed " << seed);
    CHECK_MESSAGE(found == best, "seed " << seed);
    moved += static_cast<std::size_t>(std::count(found.begin(), found.end(), Side::kGpu));
    crossed += cost_of(problem, found).uploads + cost_of(problem, found).downloads;
  }
  // So that it is something to be right about.
  CHECK(moved > 500);
  CHECK(crossed > 200);  // not counting what crosses for nothing
}

TEST_CASE("the cut is never dearer than any other policy") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    ProblemShape shape;
    shape.clusters = 2000;
    shape.reach = seed % 2 == 0 ? 20 : 1000;
    shape.most_crossing = static_cast<Ticks>(1) << (seed % 8);
    const Problem problem = random_problem(seed, shape);
    const Sides cut = place_by(problem, Policy::kCut);
    CHECK(is_allowed(problem, cut));
    for (const Policy policy : kPolicies) {
      const Sides sides = place_by(problem, policy);
      CHECK(is_allowed(problem, sides));
      CHECK_MESSAGE(cost_of(problem, cut).total() <= cost_of(problem, sides).total(),
                    "seed " << seed << ", " << policy_name(policy));
    }
  }
}

TEST_CASE("the work of a cut grows as its problem does") {
  const auto work_of_each = [](const ProblemShape& shape) {
    std::uint64_t work = 0;
    place_by(random_problem(1, shape), Policy::kCut, &work);
    return static_cast<double>(work) / shape.clusters;
  };
  for (const Ticks most_crossing : {300, 3000}) {
    for (const bool far : {false, true}) {
      ProblemShape shape;
      shape.most = 1000;
      shape.most_crossing = most_crossing;
      shape.clusters = 2000;
      if (far) shape.reach = 2000;
      const double small = work_of_each(shape);
      shape.clusters = 32000;
      if (far) shape.reach = 32000;
      CHECK(work_of_each(shape) < 1.3 * small);
    }
  }
}

TEST_CASE("chains vanish before there is anything to cut, however dear it is to cross") {
  Problem problem;
  constexpr std::uint32_t kCount = 30000;
  for (std::uint32_t c = 0; c < kCount; ++c) {
    problem.clusters.push_back({c * 7919 % 100, c * 104729 % 100});
    problem.values.push_back({c, {}, 2000, 2000});
    if (c > 0) problem.values[c - 1].readers = {c};
  }
  std::uint64_t work = 0;
  const Sides cut = place_by(problem, Policy::kCut, &work);
  CHECK(work < 10 * kCount);
  for (const Policy policy : kPolicies)
    CHECK(cost_of(problem, cut).total() <= cost_of(problem, place_by(problem, policy)).total());
}

TEST_CASE("a value that fifty take crosses once") {
  Problem problem;
  problem.clusters.push_back({0, 0, Allowed::kCpu});
  problem.values.push_back({0, {}, 100, 100});
  for (std::uint32_t c = 1; c <= 50; ++c) {
    problem.clusters.push_back({5, 2, Allowed::kBoth});
    problem.values[0].readers.push_back(c);
  }
  const Sides sides = place_by(problem, Policy::kCut);  // 150 saved, 100 paid
  CHECK(std::count(sides.begin(), sides.end(), Side::kGpu) == 50);
  CHECK(cost_of(problem, sides).uploads == 1);
  problem.values[0].up = 150;  // a tie goes to the CPU
  CHECK(place_by(problem, Policy::kCut) == Sides(51, Side::kCpu));
}

TEST_CASE("state has one side, and so stays where the work is") {
  // A step of training: the batch comes from the host, the loss goes there, weights are read and updated.
  Problem problem;
  const auto cluster = [&](Ticks cpu, Ticks gpu, Allowed allowed = Allowed::kBoth, bool state = false) {
    problem.clusters.push_back({cpu, gpu, allowed, state});
    return static_cast<std::uint32_t>(problem.clusters.size() - 1);
  };
  const std::uint32_t host = cluster(0, 0, Allowed::kCpu), weights = cluster(0, 0, Allowed::kBoth, true),
                      forward = cluster(900, 50), loss = cluster(5, 5), backward = cluster(1800, 100),
                      step = cluster(100, 10);
  problem.values = {{host, {forward, backward}, 60, 60},   {weights, {forward, backward, step}, 5000, 5000},
                    {forward, {loss, backward}, 700, 700}, {loss, {host}, 8, 8},
                    {backward, {step}, 5000, 5000},        {step, {weights}, 5000, 5000}};
  const Sides sides = place_by(problem, Policy::kCut);
  CHECK(sides == Sides{Side::kCpu, Side::kGpu, Side::kGpu, Side::kGpu, Side::kGpu, Side::kGpu});
  const Cost cost = cost_of(problem, sides);
  CHECK(cost.uploads == 1);
  CHECK(cost.downloads == 1);
}

TEST_CASE("greedy moves what state touches, whatever it costs, and the cut does not") {
  Problem problem;
  problem.clusters = {{0, 0, Allowed::kCpu}, {0, 0, Allowed::kBoth, true}, {10, 1000}};
  problem.values = {{1, {2}, 50, 50}, {2, {1, 0}, 50, 50}};
  CHECK(place_by(problem, Policy::kGreedy) == Sides{Side::kCpu, Side::kGpu, Side::kGpu});
  CHECK(place_by(problem, Policy::kCut) == Sides{Side::kCpu, Side::kCpu, Side::kCpu});
}

TEST_CASE("times: exact, and what is hopeless stays finite") {
  CHECK(ticks(1) == 64);
  CHECK(ticks(-5) == 0);
  CHECK(ticks(1e300) == std::int64_t{1} << 42);
  CHECK(nanoseconds(ticks(2.5)) == 2.5);
}

}  // namespace cohort::placement
