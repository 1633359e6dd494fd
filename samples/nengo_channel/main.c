/* Runs the channel for 1000 steps and compares what the probe sees with what nengo.Simulator recorded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel.h"

enum { kSteps = 1000 };

#ifndef EXPECTED_FILE
#define EXPECTED_FILE "expected.npy"
#endif

/* The values of a .npy file (format 1.0) of kSteps doubles. */
static int read_expected(const char* path, double* values) {
  unsigned char head[10];
  FILE* file = fopen(path, "rb");
  if (!file) return 0;
  int ok = fread(head, 1, sizeof head, file) == sizeof head &&
           fseek(file, (long)head[8] + 256L * (long)head[9], SEEK_CUR) == 0 &&
           fread(values, sizeof *values, kSteps, file) == kSteps;
  fclose(file);
  return ok;
}

int main(int argc, char** argv) {
  static double expected[kSteps];
  const char* path = argc > 1 ? argv[1] : EXPECTED_FILE;
  if (!read_expected(path, expected)) {
    fprintf(stderr, "%s cannot be read\n", path);
    return 2;
  }
  void* workspace = aligned_alloc(CHANNEL_WORKSPACE_ALIGN, CHANNEL_WORKSPACE_SIZE);
  if (!workspace || channel_init(workspace, CHANNEL_WORKSPACE_SIZE) != COHORT_OK) return 1;

  double worst = 0;
  for (int step = 1; step <= kSteps; ++step) {
    double u = fabs((step % 512) / 256.0 - 1.0), received = 0;
    channel_step_args args = {.struct_size = sizeof args,
                              .u = &u,
                              .u_bytes = sizeof u,
                              .received = &received,
                              .received_bytes = sizeof received};
    if (channel_step(workspace, &args) != COHORT_OK) return 1;
    worst = fmax(worst, fabs(received - expected[step - 1]));
  }
  free(workspace);
  printf("%d steps, largest difference to Nengo %g\n", (int)kSteps, worst);
  return worst < 1e-9 ? 0 : 1;
}
