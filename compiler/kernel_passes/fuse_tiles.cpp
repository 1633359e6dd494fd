// What is done to the elements of a large product alone, one by one, is done on the GPU where they are added
// up: a loop over the elements takes the place of the call, and nobody loads what it does not store.
//
//   kernel g gpu { g = call rt_gemm(x, w; ...) }        kernel h gpu {
//   kernel h gpu {                                        tiles v3 at v4, v5, v6 of product(x, w; ...) {
//     for v0 < 300 {                                        let v2 = add(v3, b[v6])
//       for v1 < 256 {                               ⇒      h[v5 * 256 + v6] = relu(v2)
//         let v2 = add(g[v0 * 256 + v1], b[v1])           }
//         h[v0 * 256 + v1] = relu(v2)                   }
//   } } }
//
// A reader is a nest of independent loops which go over the elements of the product, each once, and which
// load of it, and of what was fused before, the element at hand alone (element_tiles.h, tile_places.h). It
// may load and store other arrays as it likes, but it stores nothing that the product reads. The product is
// stored if somebody else loads it. Kernels change places only where they touch nothing in common. After
// placement, for it is about the GPU; before `map_threads`, on flat indices.
#include "compiler/kernel_passes/fuse_tiles.h"

#include <algorithm>
#include <set>

#include "compiler/kernel_passes/device_checks.h"
#include "compiler/kernel_passes/device_steps.h"
#include "compiler/kernel_passes/element_tiles.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

constexpr std::size_t kFar = 64;  // kernels between a product and a reader

// What a kernel touches.
struct Touch {
  std::set<BufferId> read, written;
  bool checks = false, writes_state = false;
};

class Fusing {
 public:
  explicit Fusing(Program& program)
      : program_(program), kernels_(program.kernels), readers_(program.buffers.size()) {
    for (const Kernel& kernel : kernels_) {
      touches_.push_back(touch_of(kernel));
      for (const BufferId b : touches_.back().read) ++readers_[b];
    }
  }

  std::vector<TileReader> run() {
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      const Kernel& kernel = kernels_[k];
      if (kernel.device == Device::kGpu && !kernel.body.empty() && is_one_product(kernel.body)) fuse(k);
    }
    std::erase_if(kernels_, [](const Kernel& kernel) { return kernel.body.empty(); });
    return std::move(joined_);
  }

 private:
  Touch touch_of(const Kernel& kernel) const {
    Touch touch;
    for_each_use(kernel.body, [&](const BufferUse& use) {
      (use.written ? touch.written : touch.read).insert(use.buffer);
      touch.writes_state =
          touch.writes_state || (use.written && program_.buffers[use.buffer].kind == BufferKind::kState);
    });
    touch.checks = has_checks(kernel.body);
    return touch;
  }

  bool meet(BufferId a, BufferId b) const {
    return a == b || holds_same_state(program_.buffers[a], program_.buffers[b]);
  }
  bool meet(const std::set<BufferId>& some, const std::set<BufferId>& others) const {
    return std::any_of(some.begin(), some.end(), [&](BufferId a) {
      return std::any_of(others.begin(), others.end(), [&](BufferId b) { return meet(a, b); });
    });
  }
  bool conflict(const Touch& a, const Touch& b) const {
    return meet(a.written, b.written) || meet(a.written, b.read) || meet(a.read, b.written);
  }

  // Whether the reader touches of what the tiles touch nothing but elements that may be known.
  bool may_join(const Touch& tiles, const Touch& reader, const std::map<BufferId, Stmt>& stored) const {
    std::set<BufferId> unknown = tiles.written, others = reader.read;
    for (const auto& [buffer, store] : stored) {
      unknown.erase(buffer);
      others.erase(buffer);
    }
    const bool reads = others.size() < reader.read.size();
    return reads && !reader.checks && !meet(reader.written, tiles.read) &&
           !meet(reader.written, tiles.written) && !meet(reader.read, unknown) &&
           !meet(others, tiles.written);
  }

  bool nothing_between(std::size_t first, std::size_t last, const Touch& moved, bool forward) const {
    for (std::size_t j = first + 1; j < last; ++j) {
      if (conflict(moved, touches_[j])) return false;
      if (!forward && touches_[j].checks && moved.writes_state) return false;  // it waits for the check
    }
    return true;
  }

  void fuse(std::size_t product) {
    ElementTiles tiles(program_, one_product(kernels_[product].body)[0]);
    std::size_t at = product;  // where the loop will stand
    Touch own = touches_[product];
    const std::size_t before = joined_.size();
    for (std::size_t k = product + 1; k < std::min(product + kFar, kernels_.size()); ++k) {
      Touch& reader = touches_[k];
      if (kernels_[k].device != Device::kGpu || !may_join(own, reader, tiles.stored())) continue;
      const bool stays = nothing_between(at, k, reader, false);
      if (!stays && !nothing_between(at, k, own, true)) continue;
      if (!tiles.add(kernels_[k].body)) continue;
      joined_.push_back({product, k});
      for (const BufferId b : reader.read) --readers_[b];
      own.read.insert(reader.read.begin(), reader.read.end());
      own.written.insert(reader.written.begin(), reader.written.end());
      own.writes_state = own.writes_state || reader.writes_state;
      if (stays) {
        kernels_[at].name = kernels_[k].name;
        clear(k);
      } else {
        clear(at);
        at = k;
      }
    }
    if (joined_.size() == before) return;
    std::set<BufferId> loaded;
    for (const auto& [buffer, store] : tiles.stored())
      if (readers_[buffer] > 0) loaded.insert(buffer);
    kernels_[at].body = tiles.take(loaded);
    touches_[at] = touch_of(kernels_[at]);
    for (const BufferId b : touches_[at].read) ++readers_[b];
  }
  void clear(std::size_t k) {
    kernels_[k].body.clear();
    touches_[k] = {};
  }

  Program& program_;
  std::vector<Kernel>& kernels_;
  std::vector<Touch> touches_;
  std::vector<int> readers_;  // kernels that read a buffer
  std::vector<TileReader> joined_;
};

}  // namespace

Program fuse_tiles(Program program, const Dims&) {
  Fusing(program).run();
  return program;
}

}  // namespace cohort::loop_passes

namespace cohort::kernel {

std::vector<TileReader> tile_readers(Program program) { return loop_passes::Fusing(program).run(); }

}  // namespace cohort::kernel
