// SPDX-License-Identifier: Apache-2.0
#ifndef STRATA_LEAVING_H
#define STRATA_LEAVING_H

#include <setjmp.h>
#include <stdatomic.h>

/// The place to which a guarded call returns when it is left.
struct way_out {
  jmp_buf place;
};

/// Of the guarded call that the thread is in; NULL outside of one. Whoever leaves the call sets it
/// to NULL first.
extern _Thread_local struct way_out *way_out;

/// Whether any guard of the process was ever hit.
extern _Atomic int guard_was_ever_hit;
static inline int strata_guard_was_ever_hit(void) {
  return atomic_load_explicit(&guard_was_ever_hit, memory_order_relaxed);
}

/// Notes that a page of the map could not be used. Does nothing for -1.
void strata_guard_hit(int guard);

#endif
