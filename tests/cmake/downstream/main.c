/* Prints the sum of the scaled ones: 1536 weights of the file, each times two. */
#include <stdio.h>

#include "scale.h"

int main(void) {
  static _Alignas(64) unsigned char workspace[SCALE_WORKSPACE_SIZE];
  float total = 0;
  const scale_total_args args = {sizeof args, &total, sizeof total};
  if (scale_init(workspace, sizeof workspace) != COHORT_OK || scale_total(workspace, &args) != COHORT_OK)
    return 1;
  printf("%g\n", (double)total);
  return 0;
}
