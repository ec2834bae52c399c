// SPDX-License-Identifier: Apache-2.0
//
// A small number for each thread, by which threads are spread over slots. Swift has no thread-local
// storage.
#ifndef STRATA_THREAD_NUMBER_H
#define STRATA_THREAD_NUMBER_H

#include <stdint.h>

extern _Thread_local uint32_t strata_own_thread_number;

/// Gives the calling thread its number.
uint32_t strata_take_thread_number(void);

/// The number of the calling thread, from 1 in the order of asking. Threads that come after many
/// others have the same numbers again, after 2³².
static inline uint32_t strata_thread_number(void) {
  uint32_t number = strata_own_thread_number;
  return number ? number : strata_take_thread_number();
}

#endif
