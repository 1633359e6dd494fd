// How a run of a checked program is scheduled and what it prints: environment variables, read once.
#pragma once
#include <cstdint>

namespace cuda_check {

enum class Order { kForward, kReverse, kRandom };   // of the threads of a block, and of the blocks of a grid
enum class StreamOrder { kEager, kLazy, kRandom };  // of operations that no dependence orders

struct Settings {
  uint64_t seed = 1;                           // CUDA_CHECK_SEED
  Order order = Order::kRandom;                // CUDA_CHECK_ORDER=forward|reverse|random
  StreamOrder streams = StreamOrder::kRandom;  // CUDA_CHECK_STREAMS=eager|lazy|random
  int preempt = 64;         // CUDA_CHECK_PREEMPT: accesses between switches, on average; 0: none
  int most_reports = 10;    // CUDA_CHECK_REPORTS: distinct reports printed
  bool no_code = false;     // CUDA_CHECK_NO_CODE: launches fail as on a GPU of another architecture
  bool no_blas = false;     // CUDA_CHECK_NO_BLAS: cuBLAS cannot be set up
  bool counts = false;      // CUDA_CHECK_COUNTS: print transactions by source line at exit
  bool statistics = false;  // CUDA_CHECK_STATISTICS: print totals at exit
  bool trace = false;       // CUDA_CHECK_TRACE: print operations as they run
};
const Settings& settings();

// The one sequence that all schedules draw from (splitmix64 of the seed).
uint64_t random_bits();
inline uint64_t random_below(uint64_t n) { return random_bits() % n; }

}  // namespace cuda_check
