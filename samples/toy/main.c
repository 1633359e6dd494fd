/* Runs the workspace toy: two calls of f, then a swap, and checks every value. */
#include <stdio.h>
#include <stdlib.h>

#include "toy.h"

static int failures = 0;

static void expect(void* workspace, const char* name, double first, double second) {
  double value[2] = {0, 0};
  if (toy_get(workspace, name, value, sizeof value) != COHORT_OK) ++failures;
  printf("%s = [%g, %g]\n", name, value[0], value[1]);
  if (value[0] != first || value[1] != second) {
    printf("  expected [%g, %g]\n", first, second);
    ++failures;
  }
}

int main(void) {
  void* workspace = aligned_alloc(TOY_WORKSPACE_ALIGN, TOY_WORKSPACE_SIZE);
  if (!workspace || toy_init(workspace, TOY_WORKSPACE_SIZE) != COHORT_OK) return 1;

  toy_f(workspace, NULL); /* both updates read the old x */
  expect(workspace, "x", 2, 4);
  expect(workspace, "y", 4, 6);
  toy_f(workspace, NULL);
  expect(workspace, "x", 4, 8);
  expect(workspace, "y", 6, 10);
  toy_swap(workspace, NULL);
  expect(workspace, "x", 6, 10);
  expect(workspace, "y", 4, 8);

  free(workspace);
  return failures ? 1 : 0;
}
