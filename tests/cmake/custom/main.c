#include <stdio.h>

#include "own.h"

int main(void) {
  static _Alignas(OWN_WORKSPACE_ALIGN) char workspace[OWN_WORKSPACE_SIZE];
  float x = 3, y = 0;
  if (own_init(workspace, sizeof(workspace)) != COHORT_OK) return 1;
  const own_f_args args = {
      .struct_size = sizeof(args), .x = &x, .x_bytes = sizeof(x), .y = &y, .y_bytes = sizeof(y)};
  if (own_f(workspace, &args) != COHORT_OK) return 1;
  printf("%g\n", (double)y);
  return 0;
}
