// What the compiler hands to the emitters: loop programs whose buffers have addresses. Emitters add spelling
// only.
#pragma once

#include <map>
#include <optional>

#include "compiler/device/device_profile.h"
#include "compiler/placement/report.h"
#include "compiler/profile.h"
#include "ir/graph.h"
#include "ir/kernel.h"

namespace cohort {

// Where a buffer's first element lives.
enum class Space : std::uint8_t {
  kArgument,   // the caller's array: input or output `Buffer::index` of the function
  kWorkspace,  // `offset` bytes into the workspace: state and temporaries
  kWeights,    // `offset` bytes into the module's read-only weights
  kDevice,     // `offset` bytes into the block in the GPU's memory
  kNone        // a buffer that no kernel touches any more
};
struct Placement {
  Space space = Space::kNone;
  std::uint64_t offset = 0;
};

// A transfer that crosses beside the kernels around it (placement/aside.h), by its place among the program's
// kernels: of an input behind what was on the stream when the call began, of an output behind the kernel
// `after`. Both are asked for where they stand; the bytes in the block are theirs from the call's beginning,
// or to its end.
struct AsideTransfer {
  std::uint32_t kernel = 0;
  std::optional<std::uint32_t> after = {};
  bool operator==(const AsideTransfer&) const = default;
};

struct CompiledFunction {
  kernel::Program program;
  std::vector<Placement> placements;  // by BufferId
  // Nodes that the first member of a merged loop computes: which of CompiledModule::groups.
  std::map<NodeId, std::uint32_t> merged = {};
  std::size_t lowered_kernels = 0;  // before merging and the kernel passes
  std::vector<AsideTransfer> asides = {};
};

// A copy of a function for calls in which named dims have the values given (specialise.h).
struct SpecialisedFunction {
  std::size_t function = 0;
  std::vector<FixedDim> dims;
  CompiledFunction code;
};

// One merged loop, for `explain`; the kernel passes may join it with others afterwards.
struct MergedGroup {
  // An operand: member m has array `positions[m]` of the merged buffer (Note [merged storage], ir/kernel.h).
  struct Place {
    kernel::BufferId buffer = 0;
    bool written = false;
    std::vector<std::uint64_t> positions;
  };
  std::size_t function = 0;
  std::string kernel;                           // the name the loop got
  std::vector<std::string> members;             // names of the kernels it was made of, in its order
  std::size_t statements = 0;                   // of one member
  std::size_t blocks = 0;                       // operands that lie side by side in the order of the members
  std::size_t tables = 0;                       // operands found through a table of positions
  std::size_t shared = 0;                       // operands all members have in common
  std::uint64_t shared_bytes = 0;               // of these, each once
  double apart_ns = 0, merged_ns = 0;           // predicted times of all members (merge/cost.h)
  std::vector<std::vector<NodeId>> nodes = {};  // by member: what it computes; those of members correspond
  std::vector<Place> places = {};               // of blocks and tables, lists apart
};
// Alike kernels that stayed apart.
struct NearMiss {
  std::size_t function = 0;
  std::vector<std::string> kernels;
  std::string reason;
};

inline constexpr std::uint64_t kZeros = UINT64_MAX;
struct StateLayout {
  std::uint64_t offset = 0;           // bytes into the workspace
  std::vector<std::int64_t> strides;  // in elements, one per axis
  // Bytes into the weights of the initial value; kZeros: all bytes are zero.
  std::uint64_t init_offset = kZeros;
};
struct WeightEntry {
  ConstantId constant = 0;
  std::uint64_t offset = 0;  // bytes into the weights
};

// The workspace is [header | state | temporaries]. Everything is aligned to kAlignment. The block in the
// GPU's memory is [record of errors | state | temporaries | weights | cuBLAS's]: state lies there as in the
// workspace, which keeps room for it. See Note [devices] in ir/kernel.h.
inline constexpr std::uint64_t kAlignment = 64;
inline constexpr std::uint64_t kHeaderBytes = 256;
inline constexpr std::uint64_t kBlasBytes = 32u << 20;  // what its manual advises on Hopper, aligned to
inline constexpr std::uint64_t kBlasAlignment = 256;
struct CompiledModule {
  Module module;                            // after optimisation; `source_functions` has what the user wrote
  std::vector<CompiledFunction> functions;  // as Module::functions
  std::vector<StateLayout> states;          // by StateId
  std::uint64_t header_bytes = 0;
  std::uint64_t state_bytes = 0;      // of all state, padding included; begins at header_bytes
  std::uint64_t workspace_bytes = 0;  // all of it
  std::uint64_t device_bytes = 0;     // of the block on the GPU; 0: nothing runs there
  std::uint64_t device_weights = 0;   // where the weights begin in it
  std::uint64_t device_blas = 0;      // where kBlasBytes for cuBLAS begin in it; 0: it is not called
  // State at home on the GPU, as [begin, end) of bytes into the workspace and the block, ascending.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> device_state;
  std::vector<WeightEntry> weights;  // constants that kernels read, by ascending offset
  std::uint64_t weights_bytes = 0;
  // By StateId: the variable whose place it has, as both always hold the same value (merge/equal_states.h).
  // Empty: each has its own.
  std::vector<StateId> state_leads;
  std::vector<std::vector<StateId>> state_storages;  // variables that lie side by side, in this order
  std::vector<MergedGroup> groups;
  std::vector<NearMiss> near_misses;
  std::vector<SpecialisedFunction> specialised;  // at most one of each function, in their order
  PlacementReport placement;                     // empty if nothing was to run on a GPU
  bool cuda_graph = false;                       // calls are captured and replayed where they can be
};

inline StateId lead_of(const CompiledModule& compiled, StateId state) {
  return compiled.state_leads.empty() ? state : compiled.state_leads[state];
}

// --merge=auto|off|always: whether alike pieces become one loop over one storage (merge/merge.h).
enum class MergeMode : std::uint8_t {
  kAuto,  // where the cost model says that it pays
  kOff,
  kAlways  // wherever it is legal
};

// --placement: which kernels run on the GPU.
enum class PlacementMode : std::uint8_t {
  kCpu,     // none
  kGpu,     // all that can
  kGreedy,  // what state leads to, by one pass forwards and one backwards (placement/problem.h)
  kCut      // what is cheapest
};

// --blas: whose products of large matrices the GPU runs (kernel_passes/blas_products.h).
enum class BlasLibrary : std::uint8_t { kNone, kCublas };

struct CompileOptions {
  bool fast = false;                   // --fp=fast: rewrites that re-associate are allowed
  bool threads = true;                 // --threads: large loops may be shared by threads
  MergeMode merge = MergeMode::kAuto;  // --merge: alike pieces become one loop
  PlacementMode placement = PlacementMode::kCpu;
  BlasLibrary blas = BlasLibrary::kNone;
  bool cuda_graph = false;            // --cuda-graph: calls are captured once and replayed
  std::vector<std::string> disabled;  // --disable=pass or pass:n
  int pass_limit = -1;                // --pass-limit: stop after so many pass runs
  std::string stop_after;             // --stop-after: a pass's name
  bool verify_passes = false;         // --verify-passes
  bool print_changed = false;         // --print-changed
  std::string reproducer;             // file to write if a pass fails; empty: none
  Profile profile = {};               // --profile: what calls were like; empty: not known
  // --device-profile: what the machine is like
  DeviceProfile device = default_device_profile();
};

// Runs the whole pipeline (pipeline.cpp).
CompiledModule compile(Module module, const CompileOptions& options);

}  // namespace cohort
