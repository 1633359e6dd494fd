// Streams, events and graphs as the API's handles.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "../include/cuda_check/calls.h"
#include "../include/cuda_runtime.h"
#undef __shared__
#include "operation.h"

// One node of a captured graph; `after` are numbers of nodes before it.
struct GraphNode {
  cuda_check::Work work;
  std::vector<uint32_t> after;
};
struct CUgraph_st {
  std::vector<GraphNode> nodes;
  CUstream_st* origin = nullptr;
  bool invalid = false;
  std::shared_ptr<bool> ended = std::make_shared<bool>(false);  // events know it when the graph is gone
};
struct CUstream_st {
  int number = 0;
  bool non_blocking = false, destroyed = false;
  uint32_t sequence = 0, last = 0;  // last: its latest operation
  std::vector<uint32_t> waits;      // of events, for the next operation
  CUgraph_st* capture = nullptr;
  std::vector<uint32_t> captured;  // nodes that the next captured one follows
};
struct CUevent_st {
  uint32_t operation = 0;
  CUgraph_st* capture = nullptr;  // that it was recorded in last; not to be followed once that has ended
  std::shared_ptr<bool> capture_ended;
  std::vector<uint32_t> captured;
};
// Only a graph's own edges order its nodes, so each has a stream to itself. Launches of one graph follow each
// other.
struct CUgraphExec_st {
  std::vector<GraphNode> nodes;
  std::vector<CUstream_st*> streams;
  uint32_t last = 0;
};

namespace cuda_check {

cuda_check_calls& called();
cudaError_t fail(cudaError_t error);          // remembered for cudaGetLastError
CUstream_st& stream_of(cudaStream_t stream);  // null: the legacy default stream
CUstream_st* new_stream(bool non_blocking);
const std::vector<std::unique_ptr<CUstream_st>>& all_streams();
// Submits work to the stream or, during capture, adds it to the graph.
cudaError_t enqueue(CUstream_st& stream, Work work);
uint32_t submit_to(CUstream_st& stream, std::vector<uint32_t> after, Work work);
// An error if a capture is under way, which this call breaks.
cudaError_t outside_capture();
// Reports a call that the capture does not allow, which breaks it. Null: it has ended.
cudaError_t break_capture(CUgraph_st* capture, cudaError_t error, const char* call);

}  // namespace cuda_check
