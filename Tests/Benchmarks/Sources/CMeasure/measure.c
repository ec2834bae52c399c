// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "measure.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <malloc.h>
#endif
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t measure_wall(void) { return nanoseconds(CLOCK_MONOTONIC); }
uint64_t measure_cpu(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t measure_thread_cpu(void) { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }

uint64_t measure_heap(void) {
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

void measure_reset_peak(bool trims) {
#ifdef __GLIBC__
  if (trims) malloc_trim(0);
#else
  (void)trims;
#endif
#ifdef __linux__
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (!file) return;
  fputs("5", file);
  fclose(file);
#endif
}

static uint64_t status(const char *field) {
  uint64_t kilobytes = 0;
#ifdef __linux__
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  size_t length = strlen(field);
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, field, length) == 0) sscanf(line + length, ": %" SCNu64, &kilobytes);
  if (file) fclose(file);
#else
  (void)field;
#endif
  return kilobytes * 1024;
}

uint64_t measure_resident(void) { return status("VmRSS"); }
uint64_t measure_own_resident(void) { return status("RssAnon"); }
uint64_t measure_peak(void) { return status("VmHWM"); }

void measure_instrument(bool is_on) {
#ifdef CALLGRIND_START_INSTRUMENTATION
  if (is_on)
    CALLGRIND_START_INSTRUMENTATION;
  else
    CALLGRIND_STOP_INSTRUMENTATION;
#else
  (void)is_on;
#endif
}

void measure_report(const char *workload, long operations) {
#ifdef RUNNING_ON_VALGRIND
  if (RUNNING_ON_VALGRIND) fprintf(stderr, "counted %s: %ld operations\n", workload, operations);
#else
  (void)workload, (void)operations;
#endif
}
