// Capture of streams into graphs, and their replay.
#include <algorithm>
#include <set>

#include "report.h"
#include "stream.h"

namespace cuda_check {
namespace {

// Whether node `wanted` comes before (or is) one of `from`.
bool reaches(const CUgraph_st& graph, const std::vector<uint32_t>& from, uint32_t wanted) {
  std::set<uint32_t> seen;
  std::vector<uint32_t> open(from);
  while (!open.empty()) {
    uint32_t node = open.back();
    open.pop_back();
    if (node == wanted) return true;
    if (!seen.insert(node).second) continue;
    const auto& after = graph.nodes[node].after;
    open.insert(open.end(), after.begin(), after.end());
  }
  return false;
}

// Takes all streams out of the capture; false if a forked one was not joined into the origin.
bool end_capture(CUgraph_st& graph, CUstream_st& origin) {
  bool joined = true;
  *graph.ended = true;
  for (auto& s : all_streams()) {
    if (s->capture != &graph || s.get() == &origin) continue;
    joined &= std::all_of(s->captured.begin(), s->captured.end(),
                          [&](uint32_t node) { return reaches(graph, origin.captured, node); });
    s->capture = nullptr;
    s->captured.clear();
  }
  origin.capture = nullptr;
  origin.captured.clear();
  return joined;
}

}  // namespace
}  // namespace cuda_check

using namespace cuda_check;

extern "C" {
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  CUstream_st& s = stream_of(stream);
  if (!stream || s.capture) return fail(cudaErrorStreamCaptureUnsupported);
  s.capture = new CUgraph_st;
  s.capture->origin = &s;
  s.captured.clear();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  ++called().captures;
  CUstream_st& s = stream_of(stream);
  CUgraph_st* captured = s.capture;
  *graph = nullptr;
  if (!captured || captured->origin != &s) return fail(cudaErrorInvalidValue);
  bool joined = end_capture(*captured, s);
  if (captured->invalid) return fail(cudaErrorStreamCaptureInvalidated);
  if (!joined) {
    report(Check::kCapture, {},
           "a stream that joined the capture was not joined back before cudaStreamEndCapture");
    return fail(cudaErrorStreamCaptureUnjoined);
  }
  *graph = captured;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  CUgraph_st* capture = stream_of(stream).capture;
  *status = !capture           ? cudaStreamCaptureStatusNone
            : capture->invalid ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  ++called().allocations;
  if (!graph) return fail(cudaErrorInvalidValue);
  *exec = new CUgraphExec_st{graph->nodes, {}, 0};
  for (size_t i = 0; i < graph->nodes.size(); i++) (*exec)->streams.push_back(new_stream(true));
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  ++called().replays;
  CUstream_st& s = stream_of(stream);
  if (s.capture) unsupported("a graph launched into a capture");
  std::vector<uint32_t> before;
  if (exec->last) before.push_back(exec->last);
  uint32_t entry = submit_to(s, before, {"start of graph", nullptr, {}});
  std::vector<uint32_t> ids;
  for (size_t i = 0; i < exec->nodes.size(); i++) {
    const GraphNode& node = exec->nodes[i];
    std::vector<uint32_t> after{entry};
    for (uint32_t k : node.after) after.push_back(ids[k]);
    Work work = node.work;
    work.name = "graph: " + work.name;
    ids.push_back(submit_to(*exec->streams[i], after, std::move(work)));
  }
  exec->last = submit_to(s, ids, {"end of graph", nullptr, {}});
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  ++called().allocations;
  delete exec;
  return cudaSuccess;
}
}
