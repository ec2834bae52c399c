// SPDX-License-Identifier: Apache-2.0
#include "thread_number.h"

#include <stdatomic.h>

_Thread_local uint32_t strata_own_thread_number = 0;

static _Atomic uint32_t last_number = 0;

uint32_t strata_take_thread_number(void) {
  // Relaxed: the numbers only have to differ, and no other memory goes by them.
  strata_own_thread_number = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
  return strata_own_thread_number;
}
