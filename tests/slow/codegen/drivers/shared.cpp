// Loops shared by threads: the bits of every function are the same however its loops are divided. The model's
// sources may be compiled with OpenMP.
#include <algorithm>
#include <cstring>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "check.h"
#include "shared.h"

namespace {

// A hook that cuts a loop anywhere, in so many ranges, and runs them shuffled, on threads if told.
struct Cutter {
  int64_t ranges = 1;
  bool threads = false;
  int calls = 0;
  std::mt19937 random{7};
};

void cut(void* user, cohort_range_fn body, void* context, int64_t count, int64_t grain) {
  auto& cutter = *static_cast<Cutter*>(user);
  ++cutter.calls;
  CHECK(grain > 0 && count >= 2 * grain);
  std::vector<int64_t> at{0, count};
  for (int64_t k = 1; k < cutter.ranges; ++k)
    at.push_back(std::uniform_int_distribution<int64_t>(0, count)(cutter.random));
  std::sort(at.begin(), at.end());
  std::vector<size_t> order;
  for (size_t k = 0; k + 1 < at.size(); ++k) order.push_back(k);
  std::shuffle(order.begin(), order.end(), cutter.random);
  std::vector<std::thread> threads;
  for (const size_t k : order) {
    const auto run = [=, begin = at[k], end = at[k + 1]] { body(context, begin, end); };
    if (cutter.threads)
      threads.emplace_back(run);
    else
      run();
  }
  for (std::thread& thread : threads) thread.join();
}

void one_range(void*, cohort_range_fn body, void* context, int64_t count, int64_t) {
  body(context, 0, count);
}

constexpr int64_t kBatch = 301;  // of at most 4096
struct Inputs {
  std::vector<double> x, m, a, b;
  std::vector<float> h, p, q, xs, carried, u;
  Inputs()
      : x(100003),
        m(kBatch * 700),
        a(150 * 160),
        b(160 * 170),
        h(100003),
        p(40 * 33 * 50),
        q(40 * 50 * 37),
        xs(50 * 20 * 64),
        carried(20 * 64),
        u(64 * 64) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    for (auto* values : {&x, &m, &a, &b})
      for (double& value : *values) value = normal(random);
    for (auto* values : {&h, &p, &q, &xs, &carried, &u})
      for (float& value : *values) value = static_cast<float>(normal(random));
  }
};

struct Outputs {
  std::vector<double> y, rows, product, level;
  std::vector<uint8_t> sign;
  std::vector<float> smooth, products, last, ys;
  bool operator==(const Outputs& o) const {
    const auto same = [](const auto& u, const auto& v) {
      return u.size() == v.size() && std::memcmp(u.data(), v.data(), u.size() * sizeof(u[0])) == 0;
    };
    return same(y, o.y) && same(rows, o.rows) && same(product, o.product) && same(level, o.level) &&
           same(sign, o.sign) && same(smooth, o.smooth) && same(products, o.products) && same(last, o.last) &&
           same(ys, o.ys);
  }
};

template <class T>
size_t bytes(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

void* workspace() { return ::operator new (SHARED_WORKSPACE_SIZE, std::align_val_t{64}); }

// Every function, the step twice.
Outputs run(void* w, const Inputs& in) {
  Outputs out;
  CHECK(shared_reset(w) == 0);
  out.y.resize(in.x.size());
  out.sign.resize(in.x.size());
  out.smooth.resize(in.h.size());
  const shared_wide_args wide = {sizeof wide,     in.x.data(),       bytes(in.x),      in.h.data(),
                                 bytes(in.h),     out.y.data(),      bytes(out.y),     out.sign.data(),
                                 bytes(out.sign), out.smooth.data(), bytes(out.smooth)};
  CHECK(shared_wide(w, &wide) == 0);
  out.rows.resize(kBatch);
  const shared_rows_args rows = {sizeof rows, kBatch,          in.m.data(),
                                 bytes(in.m), out.rows.data(), bytes(out.rows)};
  CHECK(shared_rows(w, &rows) == 0);
  out.product.resize(150 * 170);
  out.products.resize(40 * 33 * 37);
  const shared_product_args product = {
      sizeof product,     in.a.data(),         bytes(in.a),        in.b.data(), bytes(in.b),
      in.p.data(),        bytes(in.p),         in.q.data(),        bytes(in.q), out.product.data(),
      bytes(out.product), out.products.data(), bytes(out.products)};
  CHECK(shared_product(w, &product) == 0);
  out.last.resize(20 * 64);
  out.ys.resize(in.xs.size());
  const shared_steps_args steps = {sizeof steps,      in.xs.data(),  bytes(in.xs), in.carried.data(),
                                   bytes(in.carried), in.u.data(),   bytes(in.u),  out.last.data(),
                                   bytes(out.last),   out.ys.data(), bytes(out.ys)};
  CHECK(shared_steps(w, &steps) == 0);
  CHECK(shared_step(w, nullptr) == 0 && shared_step(w, nullptr) == 0);
  out.level.resize(200000);
  CHECK(shared_get(w, "level", out.level.data(), bytes(out.level)) == 0);
  return out;
}

}  // namespace

int main() {
  void* w = workspace();
  CHECK(shared_set_parallel(nullptr, cut, nullptr) == COHORT_NULL_ARGUMENT);
  CHECK(shared_init(w, SHARED_WORKSPACE_SIZE) == 0);
  const Inputs inputs;
  CHECK(shared_set_parallel(w, one_range, nullptr) == 0);
  const Outputs expected = run(w, inputs);
  for (const bool threads : {false, true}) {
    for (const int64_t ranges : {1, 2, 3, 7}) {
      Cutter cutter{ranges, threads};
      CHECK(shared_set_parallel(w, cut, &cutter) == 0);
      CHECK(run(w, inputs) == expected);  // the hook stays over a reset
      CHECK(cutter.calls >= 7);
      const int calls = cutter.calls;
      double x[3] = {1, 2, 3}, y[3];
      const shared_small_args small = {sizeof small, x, sizeof x, y, sizeof y};
      CHECK(shared_small(w, &small) == 0 && cutter.calls == calls);  // not worth a thread
      const shared_rows_args few = {sizeof few, 1, inputs.m.data(), 700 * 8, y, sizeof y};
      CHECK(shared_rows(w, &few) == 0 && cutter.calls == calls);
    }
  }
  CHECK(shared_set_parallel(w, nullptr, nullptr) == 0);
  CHECK(run(w, inputs) == expected);  // OpenMP, or one thread

  // Several callers at once, each with a workspace of its own.
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k)
    callers.emplace_back([&, k] {
      void* own = workspace();
      CHECK(shared_init(own, SHARED_WORKSPACE_SIZE) == 0);
      Cutter cutter{3, true};
      if (k % 2) CHECK(shared_set_parallel(own, cut, &cutter) == 0);
      CHECK(run(own, inputs) == expected);
      ::operator delete (own, std::align_val_t{64});
    });
  for (std::thread& caller : callers) caller.join();
  ::operator delete (w, std::align_val_t{64});
}
