// SPDX-License-Identifier: Apache-2.0
//
// Settings of a process that runs tests, from before its first test. The processes that it starts
// inherit them. A variable that is set already keeps its value.
#include <stdlib.h>

__attribute__((constructor)) static void set_defaults(void) {
  // With all tests at the same time, most would hold their stores open while they wait for a core,
  // and use up the descriptors and addresses that the system grants the process.
  // Swift Testing: `--experimental-maximum-parallelization-width`.
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "6", 0);
  // 64 MiB for each store whose test names no limit: see `EnvironmentOptions`.
  setenv("STRATA_BYTE_COUNT_MAX", "31457280", 0);
}
