// The driver of threads.py. Contenders run in turns; two threads are one OpenMP region for each loop.
#include <omp.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "threads.h"
#include "tools/bench/bench.h"

namespace {

template <class T>
T* array(std::size_t n) {
  T* values = static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(static_cast<int>(i % 2001) - 1000) / 500;
  return values;
}

void* make_workspace() {
  void* workspace = ::operator new (THREADS_WORKSPACE_SIZE, std::align_val_t{64});
  if (threads_init(workspace, THREADS_WORKSPACE_SIZE) != COHORT_OK) std::abort();
  return workspace;
}

void ratio(const char* name, const std::function<void()>& one, const std::function<void()>& two) {
  std::vector<bench::Contender> contenders{{"one", one}, {"two", two}};
  bench::measure(contenders);
  const double alone = bench::median(contenders[0].nanoseconds),
               shared = bench::median(contenders[1].nanoseconds);
  std::printf("%-26s %12.1f %12.1f %8.2f\n", name, alone / 1000, shared / 1000, alone / shared);
}
void ratio(const char* name, const std::function<void()>& call) {
  const auto with = [&](int threads) {
    return [&call, threads] {
      omp_set_num_threads(threads);
      call();
    };
  };
  ratio(name, with(1), with(2));
}

template <class Args>
void chain(void* workspace, std::size_t n, int32_t (*call)(void*, const Args*)) {
  const Args args{sizeof(Args), array<double>(n), n * 8, array<double>(n), n * 8};
  ratio(("chain, f64[" + std::to_string(n) + "]").c_str(), [&] { call(workspace, &args); });
}

void emitted() {
  void* workspace = make_workspace();
  std::printf("emitted                         one, us      two, us    ratio\n");
  chain<threads_chain_20000_args>(workspace, 20000, threads_chain_20000);
  chain<threads_chain_100000_args>(workspace, 100000, threads_chain_100000);
  chain<threads_chain_1000000_args>(workspace, 1000000, threads_chain_1000000);
  const threads_rows_args rows{sizeof rows, array<double>(256 * 2048), 256 * 2048 * 8, array<double>(2048),
                               2048 * 8,    array<double>(256),        256 * 8};
  ratio("rows, f64[256,2048]", [&] { threads_rows(workspace, &rows); });
  const threads_batched_args batched{sizeof batched, array<float>(2500000), 10000000, array<float>(50000),
                                     200000,         array<float>(50000),   200000};
  ratio("batched, f32[1000,50,50]", [&] { threads_batched(workspace, &batched); });
  const threads_product_args product{
      sizeof product, array<float>(256 * 512), 256 * 512 * 4, array<float>(512 * 512),
      512 * 512 * 4,  array<float>(256 * 512), 256 * 512 * 4};
  ratio("product, f32[256,512,512]", [&] { threads_product(workspace, &product); });
  constexpr std::size_t kMatrix = 50000 * 4;
  const threads_ensembles_args ensembles{sizeof ensembles, array<float>(1000),  4000,    array<float>(50000),
                                         kMatrix,          array<float>(50000), kMatrix, array<float>(50000),
                                         kMatrix,          array<float>(1000),  4000};
  ratio("1000 ensembles of 50", [&] { threads_ensembles(workspace, &ensembles); });
}

// A region in which each of two threads computes half, however small.
template <class Whole, class Half>
void region(std::size_t n, int32_t (*whole)(void*, const Whole*), int32_t (*half)(void*, const Half*)) {
  void* workspaces[] = {make_workspace(), make_workspace()};
  const double* x = array<double>(n);
  double* y = array<double>(n);
  const Whole all{sizeof(Whole), x, n * 8, y, n * 8};
  const Half parts[] = {{sizeof(Half), x, n * 4, y, n * 4},
                        {sizeof(Half), x + n / 2, n * 4, y + n / 2, n * 4}};
  ratio(("tanh, f64[" + std::to_string(n) + "]").c_str(),
        [&] {
          omp_set_num_threads(1);
          whole(workspaces[0], &all);
        },
        [&] {
#pragma omp parallel num_threads(2)
          {
            const int thread = omp_get_thread_num();
            half(workspaces[thread], &parts[thread]);
          }
        });
}

void least() {
  std::printf("\none region, halves              one, us      two, us    ratio\n");
  region(512, threads_tanh_512, threads_tanh_256);
  region(1024, threads_tanh_1024, threads_tanh_512);
  region(2048, threads_tanh_2048, threads_tanh_1024);
  region(4096, threads_tanh_4096, threads_tanh_2048);
  region(8192, threads_tanh_8192, threads_tanh_4096);
  region(16384, threads_tanh_16384, threads_tanh_8192);
}

}  // namespace

int main() {
  emitted();
  least();
}
