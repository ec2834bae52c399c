// SPDX-License-Identifier: Apache-2.0
//
// Asking the processor for memory ahead of its use. It is advice: an address that is not memory of
// the process does no harm, and nothing is read.
#ifndef STRATA_PREFETCH_H
#define STRATA_PREFETCH_H

#include <stddef.h>

/// Bytes of a line of the processor's caches, on most of them.
enum { strata_line_byte_count = 64 };

/// Has the line at `place` fetched for reading.
static inline void strata_prefetch(const void *_Nullable place) {
  __builtin_prefetch(place, 0, 3);
}

/// Has `count` lines fetched for reading, the first of them that at `place`.
static inline void strata_prefetch_lines(const void *_Nullable place, size_t count) {
  for (size_t line = 0; line < count; line++)
    __builtin_prefetch((const char *)place + line * strata_line_byte_count, 0, 3);
}

#endif
