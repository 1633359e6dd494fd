// Transfers beside kernels: two more streams of the workspace, one for each direction, as a link carries both
// at once. Inputs that the first kernels do not read and outputs that the last ones do not write cross there
// (compiler/placement/aside.h). A stream takes part in a call from its first use in it and is joined back
// before the call's end, whatever becomes of the call; so who waits for the stream of calls has waited for
// all, and a captured call is captured whole.
#pragma once
#include "device.h"

inline namespace cohort_rt {

// In `owns`: the stream of a direction has work that the stream of calls does not wait for.
constexpr uint64_t rt_forked(rt_direction direction) { return uint64_t{4} << direction; }

// What comes on stream `to` from here on waits for what is on `from`.
RT_CALL int32_t rt_order(const rt_device_calls& device, rt_workspace* header, const char* function,
                         void* from, void* to) {
  int32_t error = device.aside->record(header->events[0], from);
  if (!error) error = device.aside->wait_for(to, header->events[0]);
  return rt_device_fail(device, header, function, error);
}
// At the beginning of a call with inputs that cross there: not before the calls before have read theirs.
RT_CALL int32_t rt_fork(const rt_device_calls& device, rt_workspace* header, const char* function) {
  header->owns |= rt_forked(rt_to_device);
  return rt_order(device, header, function, header->stream, header->aside_streams[rt_to_device]);
}
// An input, before the first kernel that reads it.
RT_CALL int32_t rt_send_aside(const rt_device_calls& device, rt_workspace* header, const char* function,
                              void* to, const void* from, size_t bytes) {
  if (bytes == 0) return COHORT_OK;
  void* const stream = header->aside_streams[rt_to_device];
  const int32_t error = device.copy(to, from, bytes, rt_to_device, stream);
  if (error) return rt_device_fail(device, header, function, error);
  return rt_order(device, header, function, stream, header->stream);
}
// Behind the last kernel that writes an output.
RT_CALL int32_t rt_mark_event(const rt_device_calls& device, rt_workspace* header, const char* function,
                              int event) {
  return rt_device_fail(device, header, function,
                        device.aside->record(header->events[event], header->stream));
}
// The output; after all launches, as a copy to memory that is not pinned waits.
RT_CALL int32_t rt_fetch_aside(const rt_device_calls& device, rt_workspace* header, const char* function,
                               void* to, const void* from, size_t bytes, int event) {
  if (bytes == 0) return COHORT_OK;
  void* const stream = header->aside_streams[rt_to_host];
  header->owns |= rt_forked(rt_to_host);
  int32_t error = device.aside->wait_for(stream, header->events[event]);
  if (!error) error = device.copy(to, from, bytes, rt_to_host, stream);
  return rt_device_fail(device, header, function, error);
}
// The end of a call, which has given `status`.
RT_CALL int32_t rt_joined(const rt_device_calls& device, rt_workspace* header, const char* function,
                          int32_t status) {
  for (int k = 0; k < 2; ++k) {
    const rt_direction direction = k == 0 ? rt_to_device : rt_to_host;
    if (!(header->owns & rt_forked(direction))) continue;
    header->owns &= ~rt_forked(direction);
    const cohort_error first = header->error;
    const int32_t joined =
        rt_order(device, header, function, header->aside_streams[direction], header->stream);
    if (status)
      header->error = first;
    else
      status = joined;
  }
  return status;
}

}  // namespace cohort_rt
