// SPDX-License-Identifier: Apache-2.0
//
// Clocks and memory of this process, and what callgrind counts of it.
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stdint.h>

/// Nanoseconds of a clock that only goes forward.
uint64_t measure_wall(void);
/// Nanoseconds that all threads of this process have run.
uint64_t measure_cpu(void);
/// Nanoseconds that the calling thread has run.
uint64_t measure_thread_cpu(void);
/// Bytes that malloc has given out and not taken back; 0 where the system does not say.
uint64_t measure_heap(void);
/// Forgets the peak; first gives malloc's free memory back to the system, if `trims`.
void measure_reset_peak(bool trims);
/// Bytes resident now, mapped files included; 0 where the system does not say.
uint64_t measure_resident(void);
/// Bytes resident now, without mapped files; 0 where the system does not say.
uint64_t measure_own_resident(void);
/// The most bytes resident since `measure_reset_peak`; 0 where the system does not say.
uint64_t measure_peak(void);
/// Lets callgrind count from here on, or no longer; does nothing elsewhere, or if this was built
/// without valgrind's headers.
void measure_instrument(bool is_on);
/// Under callgrind, writes to standard error what it has counted; nothing elsewhere.
void measure_report(const char *workload, long operations);

#endif
