// SPDX-License-Identifier: Apache-2.0
#include "SoakC.h"

#include <stdlib.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#ifdef CALLGRIND_START_INSTRUMENTATION

bool strata_soak_can_count(void) { return RUNNING_ON_VALGRIND != 0; }

void strata_soak_begin_counting(void) { CALLGRIND_START_INSTRUMENTATION; }

void strata_soak_end_counting(void) {
  CALLGRIND_STOP_INSTRUMENTATION;
  CALLGRIND_DUMP_STATS;
}

#else

bool strata_soak_can_count(void) { return false; }

void strata_soak_begin_counting(void) {}

void strata_soak_end_counting(void) {}

#endif

int64_t strata_soak_live_byte_count(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}
