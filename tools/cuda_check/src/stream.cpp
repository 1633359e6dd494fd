// Streams and events.
#include "stream.h"

#include <memory>

#include "report.h"

namespace cuda_check {
namespace {

cudaError_t last_error = cudaSuccess;

std::vector<std::unique_ptr<CUstream_st>>& streams() {
  static auto& s = *new std::vector<std::unique_ptr<CUstream_st>>;
  if (s.empty()) s.push_back(std::make_unique<CUstream_st>());
  return s;
}

}  // namespace

cuda_check_calls& called() {
  static cuda_check_calls calls = {};
  return calls;
}

cudaError_t fail(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

const std::vector<std::unique_ptr<CUstream_st>>& all_streams() { return streams(); }

CUstream_st& stream_of(cudaStream_t stream) {
  if (!stream) return *streams()[0];
  if (stream->destroyed)
    report(Check::kBadFree, {}, "stream %d is used after cudaStreamDestroy", stream->number);
  return *stream;
}

CUstream_st* new_stream(bool non_blocking) {
  auto s = std::make_unique<CUstream_st>();
  s->number = static_cast<int>(streams().size());
  s->non_blocking = non_blocking;
  streams().push_back(std::move(s));
  return streams().back().get();
}

uint32_t submit_to(CUstream_st& stream, std::vector<uint32_t> after, Work work) {
  if (stream.last) after.push_back(stream.last);
  after.insert(after.end(), stream.waits.begin(), stream.waits.end());
  stream.waits.clear();
  for (auto& other : streams()) {
    bool legacy = stream.number == 0 ? !other->non_blocking : other->number == 0 && !stream.non_blocking;
    if (legacy && other.get() != &stream && other->last) after.push_back(other->last);
  }
  stream.sequence++;
  // Known as the stream's last before it can run.
  uint32_t id = submit(stream.number, stream.sequence, std::move(after), std::move(work));
  return stream.last = id;
}

cudaError_t enqueue(CUstream_st& stream, Work work) {
  if (!stream.capture) {
    submit_to(stream, {}, std::move(work));
    return cudaSuccess;
  }
  stream.capture->nodes.push_back({std::move(work), stream.captured});
  stream.captured = {static_cast<uint32_t>(stream.capture->nodes.size() - 1)};
  return cudaSuccess;
}

cudaError_t outside_capture() {
  bool capturing = false;
  for (auto& s : streams()) {
    if (!s->capture) continue;
    capturing = true;
    s->capture->invalid = true;
  }
  if (!capturing) return cudaSuccess;
  report(Check::kCapture, {}, "a call that is not allowed while a stream is being captured");
  return fail(cudaErrorStreamCaptureUnsupported);
}

cudaError_t break_capture(CUgraph_st* capture, cudaError_t error, const char* call) {
  if (capture) capture->invalid = true;
  report(Check::kCapture, {}, "%s (error %d)", call, static_cast<int>(error));
  return fail(error);
}

namespace {

CUgraph_st* living_capture(const CUevent_st& event) {
  return event.capture && !*event.capture_ended ? event.capture : nullptr;
}

// The host asks for an event that only a graph will record.
cudaError_t captured_event(const CUevent_st& event, const char* call) {
  return break_capture(living_capture(event), cudaErrorCapturedEvent, call);
}

cudaError_t wait_in_capture(CUstream_st& stream, const CUevent_st& event) {
  CUgraph_st* capture = living_capture(event);
  if (!capture) {
    return break_capture(stream.capture, cudaErrorCapturedEvent,
                         "a wait for an event of a capture that has ended");
  }
  if (stream.capture && stream.capture != capture) {
    capture->invalid = true;
    return break_capture(stream.capture, cudaErrorStreamCaptureMerge,
                         "a wait for an event of another capture");
  }
  stream.capture = capture;
  stream.captured.insert(stream.captured.end(), event.captured.begin(), event.captured.end());
  return cudaSuccess;
}

}  // namespace
}  // namespace cuda_check

using namespace cuda_check;

extern "C" {
const cuda_check_calls* cuda_check_called(void) { return &called(); }

cudaError_t cudaGetLastError() {
  cudaError_t e = last_error;
  last_error = cudaSuccess;
  return e;
}
cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  ++called().allocations;
  *stream = new_stream(flags & cudaStreamNonBlocking);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  ++called().allocations;
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  stream_of(stream).destroyed = true;  // what was submitted still runs
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ++called().waits;
  CUstream_st& s = stream_of(stream);
  if (s.capture) return outside_capture();
  for (uint32_t id : s.waits) wait_for(id);
  wait_for(s.last);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  CUstream_st& s = stream_of(stream);
  if (s.capture) {
    return break_capture(s.capture, cudaErrorStreamCaptureUnsupported,
                         "cudaStreamQuery of a stream that is being captured");
  }
  if (s.last && !operation(s.last).done) return cudaErrorNotReady;
  host_saw(s.last);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  ++called().waits;
  if (cudaError_t e = outside_capture()) return e;
  run_all();
  for (auto& s : streams()) host_saw(s->last);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  ++called().allocations;
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  ++called().allocations;
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CUstream_st& s = stream_of(stream);
  event->capture = s.capture;
  if (s.capture) {
    event->capture_ended = s.capture->ended;
    event->captured = s.captured;
  } else {
    event->operation = submit_to(s, {}, {"event", nullptr, {}});
  }
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  CUstream_st& s = stream_of(stream);
  if (event->capture) return wait_in_capture(s, *event);
  if (!event->operation) return cudaSuccess;
  if (s.capture) {
    return break_capture(s.capture, cudaErrorStreamCaptureIsolation,
                         "a wait within a capture for an event recorded outside it");
  }
  s.waits.push_back(event->operation);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event->capture) return captured_event(*event, "cudaEventQuery of an event recorded in a capture");
  if (event->operation && !operation(event->operation).done) return cudaErrorNotReady;
  host_saw(event->operation);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ++called().waits;
  if (event->capture) return captured_event(*event, "cudaEventSynchronize of an event recorded in a capture");
  wait_for(event->operation);
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0;  // nothing here says how long a GPU would take
  return cudaSuccess;
}
}
