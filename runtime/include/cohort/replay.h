// Calls of a module compiled with --cuda-graph: the first call of a function is captured in a CUDA graph,
// later ones launch it. A graph is of the arguments it was captured with (arrays, their sizes, dims) and of
// the place that the workspace had then, as state may be at home there: with others, the call is captured
// anew.
#pragma once
#include "device.h"

inline namespace cohort_rt {

// One for each such function, at the end of the workspace; the arguments follow it.
struct rt_replay {
  void* graph;            // null: nothing was captured since attach
  const void* workspace;  // that it was captured with
};
// All kernels and transfers of a call.
using rt_run = int32_t (*)(void* workspace, const void* args);

RT_CALL void rt_clear_replays(void* workspace, size_t offset, size_t bytes) {
  __builtin_memset(rt_place<unsigned char>(workspace, offset), 0, bytes);
}

RT_CALL int32_t rt_capture(const rt_device_calls& device, rt_workspace* header, const char* function,
                           rt_replay* replay, const void* args, size_t bytes, rt_run run) {
  int32_t error = 0;
  if (replay->graph) {
    error = device.wait(header->stream);
    if (!error) error = device.destroy_graph(replay->graph);
    replay->graph = nullptr;
  }
  if (!error) error = device.begin_capture(header->stream);
  if (error) return rt_device_fail(device, header, function, error);
  const int32_t status = run(header, args);
  error = device.end_capture(header->stream, status ? nullptr : &replay->graph);
  if (status) return status;
  replay->workspace = header;
  if (bytes) __builtin_memcpy(replay + 1, args, bytes);
  return rt_device_fail(device, header, function, error);
}

// `bytes`: of the argument struct; none if there is none. A call within a capture of the caller's becomes
// part of that. On the null stream, which cannot be captured, it is a call as others.
RT_CALL int32_t rt_replay_call(const rt_device_calls& device, rt_workspace* header, const char* function,
                               rt_replay* replay, const void* args, size_t bytes, rt_run run) {
  if (!header->stream || device.is_captured(header->stream)) return run(header, args);
  if (!args) bytes = 0;
  if (!replay->graph || replay->workspace != header ||
      (bytes && __builtin_memcmp(replay + 1, args, bytes) != 0)) {
    if (const int32_t status = rt_capture(device, header, function, replay, args, bytes, run)) return status;
  }
  return rt_device_fail(device, header, function, device.launch(replay->graph, header->stream));
}

}  // namespace cohort_rt
