// What the host code of a module with kernels on a GPU stands on: the block in the GPU's memory, transfers,
// state that is at home there. It knows of the GPU only what rt_device_calls offers, which the module's
// device code fills in (cuda.h); a module without such code does not include this file.
//
// State on the GPU lies in the block where it lies in the workspace. What asks for a variable by name brings
// it to the workspace first, and back if it changed it; save and load do so with all of them.
#pragma once
#include "module.h"

inline namespace cohort_rt {

enum rt_direction { rt_to_device, rt_to_host };

// What the first check that failed on the GPU left in the block; all ones: none did. cuda_checks.h writes it.
constexpr int rt_order_bits = 40, rt_piece_bits = 24, rt_failure_pieces = 7;
constexpr unsigned long long rt_no_failure = ~0ull, rt_piece_mask = (1ull << rt_piece_bits) - 1;
constexpr size_t rt_failure_offset = 64;  // into the block
struct rt_failure {
  unsigned long long first;                      // launch, order
  unsigned long long pieces[rt_failure_pieces];  // each order, 24 bits: of which check, of index, of size
};
struct rt_device_check {
  const char* function;
  const char* op;       // null: an assert
  const char* message;  // of an assert
};

// cuBLAS, of a module that leaves products to it (cuda_blas.h). Its errors are negative.
struct rt_blas_calls {
  int32_t (*create)(void** handle);
  int32_t (*destroy)(void* handle);
  // Calls go to the stream from here on, and find working memory there.
  int32_t (*bind)(void* handle, void* stream, void* memory, size_t bytes);
  const char* (*describe)(int32_t error);
};

// Events, of a module with transfers beside kernels (cuda_aside.h, aside.h).
struct rt_aside_calls {
  int32_t (*create)(void** event);
  int32_t (*destroy)(void* event);
  int32_t (*record)(void* event, void* stream);
  int32_t (*wait_for)(void* stream, void* event);
};

// Everything gives 0, or the number of an error that `describe` has a text for. All work on a stream.
struct rt_device_calls {
  int32_t (*check)();         // is there a GPU that this code runs on
  int64_t (*architecture)();  // of the GPU: 900
  const char* architectures;  // that there is code for
  int32_t no_code;            // what `check` gives where there is none for this GPU
  int32_t (*allocate)(void** block, size_t bytes);
  int32_t (*release)(void* block);
  int32_t (*create_stream)(void** stream);
  int32_t (*destroy_stream)(void* stream);
  int32_t (*clear)(void* block, size_t bytes, void* stream);
  int32_t (*copy)(void* to, const void* from, size_t bytes, rt_direction direction, void* stream);
  int32_t (*wait)(void* stream);
  const char* (*describe)(int32_t error);
  void (*mark)(void* block);  // tells a checker which buffers lie where
  bool (*is_captured)(void* stream);
  int32_t (*begin_capture)(void* stream);
  int32_t (*end_capture)(void* stream, void** graph);  // null: what was captured is not wanted
  int32_t (*launch)(void* graph, void* stream);
  int32_t (*destroy_graph)(void* graph);
  const rt_device_check* checks;
  size_t check_count;
  const rt_blas_calls* blas = nullptr;
  const rt_aside_calls* aside = nullptr;
};

struct rt_device_range {
  size_t begin, end;  // bytes into the workspace and the block
};
struct rt_device_module {
  size_t bytes;  // of the block
  size_t weights_offset, weights_bytes;
  const rt_device_range* state;  // what is at home on the GPU
  size_t state_count;
  const size_t* replays;  // bytes into the workspace: pointers to captured calls (replay.h)
  size_t replay_count;
  size_t blas_offset = 0, blas_bytes = 0;  // of cuBLAS's working memory in the block
  size_t events = 0;                       // of rt_aside_calls
};

RT_CALL int32_t rt_device_fail(const rt_device_calls& device, rt_workspace* header, const char* function,
                               int32_t error) {
  if (!error) return COHORT_OK;
  const char* const text = error < 0 ? device.blas->describe(error) : device.describe(error);
  return rt_fail(header, COHORT_DEVICE_ERROR, function, nullptr, text, 0, error < 0 ? -error : error);
}
RT_INLINE int32_t rt_device_ready(rt_workspace* header, const char* function) {
  if (RT_UNLIKELY(!header->device))
    return rt_fail(header, COHORT_NO_DEVICE, function, nullptr, "attach has not been called", 0, 0);
  return COHORT_OK;
}
RT_CALL int32_t rt_device_copy(const rt_device_calls& device, rt_workspace* header, const char* function,
                               void* to, const void* from, size_t bytes, rt_direction direction) {
  if (bytes == 0) return COHORT_OK;
  return rt_device_fail(device, header, function, device.copy(to, from, bytes, direction, header->stream));
}
// Whether it can be waited for the stream of calls: not within a capture of the caller's, which would be lost
// if CUDA had to refuse.
RT_CALL int32_t rt_device_may_wait(const rt_device_calls& device, rt_workspace* header,
                                   const char* function) {
  constexpr int32_t refused = 900;  // cudaErrorStreamCaptureUnsupported
  return rt_device_fail(device, header, function, device.is_captured(header->stream) ? refused : 0);
}
RT_CALL int32_t rt_device_sync(const rt_device_calls& device, rt_workspace* header, const char* function) {
  if (const int32_t status = rt_device_may_wait(device, header, function)) return status;
  return rt_device_fail(device, header, function, device.wait(header->stream));
}

RT_INLINE rt_failure* rt_failure_of(rt_workspace* header) {
  return rt_place<rt_failure>(header->device, rt_failure_offset);
}
RT_CALL int32_t rt_device_forget(const rt_device_calls& device, rt_workspace* header, const char* function) {
  static const rt_failure none = {rt_no_failure,
                                  {rt_no_failure, rt_no_failure, rt_no_failure, rt_no_failure, rt_no_failure,
                                   rt_no_failure, rt_no_failure}};
  if (device.check_count == 0) return COHORT_OK;
  return rt_device_copy(device, header, function, rt_failure_of(header), &none, sizeof none, rt_to_device);
}
// The error that a check on the GPU recorded, which is so forgotten.
RT_CALL int32_t rt_device_failed(const rt_device_calls& device, rt_workspace* header, const char* function,
                                 const rt_failure& failure) {
  if (const int32_t status = rt_device_forget(device, header, function)) return status;
  const auto word = [&](int at) {
    uint64_t value = 0;
    for (int k = 2; k >= 0; --k) value = value << rt_piece_bits | (failure.pieces[at + k] & rt_piece_mask);
    return static_cast<int64_t>(value);
  };
  const rt_device_check& check = device.checks[failure.pieces[0] & rt_piece_mask];
  if (check.op) return rt_fail_index(header, check.function, check.op, word(1), word(4));
  return rt_fail_assert(header, check.function, check.message);
}
// Until all that was asked for is done; gives the error of a check that failed in it.
RT_CALL int32_t rt_device_wait(const rt_device_calls& device, rt_workspace* header, const char* function) {
  if (const int32_t status = rt_device_may_wait(device, header, function)) return status;
  rt_failure failure;
  failure.first = rt_no_failure;
  if (device.check_count) {
    const int32_t status =
        rt_device_copy(device, header, function, &failure, rt_failure_of(header), sizeof failure, rt_to_host);
    if (status) return status;
  }
  if (const int32_t status = rt_device_fail(device, header, function, device.wait(header->stream)))
    return status;
  if (RT_LIKELY(failure.first == rt_no_failure)) return COHORT_OK;
  return rt_device_failed(device, header, function, failure);
}

// The same where calls need no GPU: with none attached nothing was asked for.
RT_CALL int32_t rt_device_settle(const rt_device_calls& device, rt_workspace* header, const char* function) {
  return header->device ? rt_device_wait(device, header, function) : COHORT_OK;
}

// State to or from its place in the workspace; complete on return.
RT_CALL int32_t rt_device_state(const rt_device_calls& device, const rt_device_module& module,
                                void* workspace, const char* function, rt_direction direction) {
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (!header->device) return COHORT_OK;  // what the workspace holds is uploaded by attach
  if (const int32_t status = rt_device_may_wait(device, header, function)) return status;
  for (size_t k = 0; k < module.state_count; ++k) {
    const rt_device_range range = module.state[k];
    void* there = rt_place<unsigned char>(header->device, range.begin);
    void* here = rt_place<unsigned char>(workspace, range.begin);
    const int32_t status =
        direction == rt_to_host
            ? rt_device_copy(device, header, function, here, there, range.end - range.begin, direction)
            : rt_device_copy(device, header, function, there, here, range.end - range.begin, direction);
    if (status) return status;
  }
  return rt_device_sync(device, header, function);
}

// The same with one variable, after all that was asked for before: a call may still write the workspace.
// Nothing crosses if its home is the workspace, or if there is none of this name, which the caller says.
RT_CALL int32_t rt_device_variable(const rt_module& module, const rt_device_calls& device,
                                   const rt_device_module& there, void* workspace, const char* function,
                                   const char* name, rt_direction direction) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (!header->device) return COHORT_OK;
  if (const int32_t status = rt_device_may_wait(device, header, function)) return status;
  const size_t found = name ? rt_find_state(module, name) : module.state_count;
  const rt_state state = found < module.state_count ? rt_state_at(module, found) : rt_state{};
  const size_t bytes = found < module.state_count ? rt_state_bytes(state) : 0;
  for (size_t k = 0; k < there.state_count && bytes; ++k) {
    if (state.offset < there.state[k].begin || state.offset >= there.state[k].end) continue;
    void* on_gpu = rt_place<unsigned char>(header->device, state.offset);
    void* here = rt_place<unsigned char>(workspace, state.offset);
    const bool down = direction == rt_to_host;
    const int32_t status = rt_device_copy(device, header, function, down ? here : on_gpu,
                                          down ? on_gpu : here, bytes, direction);
    if (status) return status;
    break;
  }
  return rt_device_sync(device, header, function);
}

// Initial values, after all that was asked for before: a call may still write the workspace.
RT_CALL int32_t rt_device_reset(const rt_module& module, const rt_device_calls& device,
                                const rt_device_module& there, void* workspace) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (header->device) {
    if (const int32_t status = rt_device_sync(device, header, "reset")) return status;
  }
  rt_reset_state(module, workspace);
  return rt_device_state(device, there, workspace, "reset", rt_to_device);
}

// All state before it is asked for as a whole.
RT_CALL int32_t rt_fetch_state(const rt_module& module, const rt_device_calls& device,
                               const rt_device_module& there, void* workspace, const char* function) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  return rt_device_state(device, there, workspace, function, rt_to_host);
}

// Makes the library's handle, if it has none yet, and binds it to the stream of calls.
RT_CALL int32_t rt_bind_blas(const rt_device_calls& device, const rt_device_module& there,
                             rt_workspace* header, const char* function) {
  if (!device.blas) return COHORT_OK;
  int32_t error = header->blas ? 0 : device.blas->create(&header->blas);
  if (!error)
    error = device.blas->bind(header->blas, header->stream,
                              rt_place<unsigned char>(header->device, there.blas_offset), there.blas_bytes);
  return rt_device_fail(device, header, function, error);
}

RT_CALL int32_t rt_set_stream(const rt_module& module, const rt_device_calls& device,
                              const rt_device_module& there, void* workspace, void* stream) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (const int32_t status = rt_device_ready(header, "set_stream")) return status;
  int32_t error = 0;
  if (header->owns & 2) {  // the one that attach created
    if (const int32_t status = rt_device_sync(device, header, "set_stream")) return status;
    error = device.destroy_stream(header->stream);
    header->owns &= ~uint64_t{2};
  }
  header->stream = stream;
  if (error) return rt_device_fail(device, header, "set_stream", error);
  return rt_bind_blas(device, there, header, "set_stream");
}

// Lets go of what `attach` took; gives the first error.
RT_CALL int32_t rt_let_go(const rt_device_calls& device, const rt_device_module& there,
                          rt_workspace* header) {
  int32_t error = 0;
  const auto note = [&](int32_t failed) { error = error ? error : failed; };
  for (size_t k = 0; k < there.replay_count; ++k) {
    void** const graph = rt_place<void*>(static_cast<void*>(header), there.replays[k]);
    if (*graph) note(device.destroy_graph(*graph));
    *graph = nullptr;
  }
  if (header->blas) note(device.blas->destroy(header->blas));
  header->blas = nullptr;
  for (size_t k = 0; k < there.events; ++k) {
    if (header->events[k]) note(device.aside->destroy(header->events[k]));
    header->events[k] = nullptr;
  }
  for (void*& stream : header->aside_streams) {
    if (stream) note(device.destroy_stream(stream));
    stream = nullptr;
  }
  if (header->owns & 1) note(device.release(header->device));
  if (header->owns & 2) note(device.destroy_stream(header->stream));
  header->device = header->stream = nullptr;
  header->owns = 0;
  return error;
}

// The streams and events of transfers beside kernels, if the module has any.
RT_CALL int32_t rt_make_aside(const rt_device_calls& device, const rt_device_module& there,
                              rt_workspace* header, const char* function) {
  int32_t error = 0;
  for (void*& stream : header->aside_streams)
    if (there.events && !error) error = device.create_stream(&stream);
  for (size_t k = 0; k < there.events && !error; ++k) error = device.aside->create(&header->events[k]);
  return rt_device_fail(device, header, function, error);
}

// Brings state back first. Gives the error of a check that failed in a call that nobody has waited for, as
// nobody can ask for it later; all is let go of then, too. Where CUDA does not bring state back, the
// workspace stays attached as it is.
RT_CALL int32_t rt_detach(const rt_module& module, const rt_device_calls& device,
                          const rt_device_module& there, void* workspace) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  if (!header->device) return COHORT_OK;
  const int32_t failed = rt_device_wait(device, header, "detach");
  if (failed == COHORT_DEVICE_ERROR) return failed;
  if (const int32_t status = rt_device_state(device, there, workspace, "detach", rt_to_host)) return status;
  const int32_t error = rt_let_go(device, there, header);
  return failed ? failed : rt_device_fail(device, header, "detach", error);
}

// Brings everything to a block that nothing is in yet.
RT_CALL int32_t rt_fill_block(const rt_module& module, const rt_device_calls& device,
                              const rt_device_module& there, rt_workspace* header) {
  const char* const function = "attach";
  device.mark(header->device);
  if (device.check_count) {  // after an error nobody has written the outputs
    const int32_t error = device.clear(header->device, there.bytes, header->stream);
    if (error) return rt_device_fail(device, header, function, error);
  }
  if (const int32_t status = rt_device_forget(device, header, function)) return status;
  unsigned char* const weights = rt_place<unsigned char>(header->device, there.weights_offset);
  const int32_t status =
      rt_device_copy(device, header, function, weights, module.weights, there.weights_bytes, rt_to_device);
  return status ? status : rt_device_state(device, there, header, function, rt_to_device);
}

// Whether a GPU is there that runs the module's code; an error record if not.
RT_CALL int32_t rt_check_device(const rt_device_calls& device, rt_workspace* header) {
  const int32_t error = device.check();
  if (!error) return COHORT_OK;
  const bool other = error == device.no_code;  // it is of another architecture
  return rt_fail(header, COHORT_NO_DEVICE, "attach", nullptr,
                 other ? device.architectures : device.describe(error), other ? device.architecture() : 0,
                 error);
}

// Takes a block in the GPU's memory (null: allocates it) and a stream (null: creates one) and brings weights
// and state there. An attached workspace is detached first; what `detach` gives is then given.
RT_CALL int32_t rt_attach(const rt_module& module, const rt_device_calls& device,
                          const rt_device_module& there, void* workspace, void* block, size_t bytes,
                          void* stream) {
  if (const int32_t status = rt_check_workspace(module, workspace)) return status;
  rt_workspace* header = static_cast<rt_workspace*>(workspace);
  const char* const function = "attach";
  if (block && bytes < there.bytes)
    return rt_fail(header, COHORT_SHORT_BUFFER, function, "device", nullptr,
                   static_cast<int64_t>(there.bytes), static_cast<int64_t>(bytes));
  if (reinterpret_cast<uintptr_t>(block) % 256)
    return rt_fail(header, COHORT_MISALIGNED, function, "device", nullptr, 256, 0);
  if (header->device) {
    if (const int32_t status = rt_detach(module, device, there, workspace)) return status;
  }
  if (const int32_t status = rt_check_device(device, header)) return status;
  if (!stream) {
    if (const int32_t error = device.create_stream(&stream))
      return rt_device_fail(device, header, function, error);
    header->owns |= 2;
  }
  header->stream = stream;
  if (!block) {
    if (const int32_t error = device.allocate(&block, there.bytes)) {
      rt_let_go(device, there, header);
      return rt_device_fail(device, header, function, error);
    }
    header->owns |= 1;
  }
  header->device = block;
  int32_t status = rt_bind_blas(device, there, header, function);
  if (!status) status = rt_make_aside(device, there, header, function);
  if (!status) status = rt_fill_block(module, device, there, header);
  if (status) rt_let_go(device, there, header);
  return status;
}

}  // namespace cohort_rt
