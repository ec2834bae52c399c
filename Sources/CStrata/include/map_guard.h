// SPDX-License-Identifier: Apache-2.0
//
// Reading a mapped file beyond its end, or where the disk cannot be read, raises SIGBUS, which ends
// the process. A guard puts an empty page in the place of the one that cannot be read, and notes
// that: the reader finds an empty page, and reports damage.
#ifndef STRATA_MAP_GUARD_H
#define STRATA_MAP_GUARD_H

#include <stddef.h>

/// Guards a map of a file. Signals elsewhere are left to the handler that was there before.
///
/// Returns the number of the guard, for the functions below; -1 if all are in use.
int strata_guard_map(const void *_Nonnull start, size_t count);

/// Whether a page of the map could not be read.
int strata_guard_was_hit(int guard);

/// Says whether the calling thread is in a write transaction. LMDB copies pages then and moves
/// entries in them: with an empty page it might write beyond its memory. So a page that cannot be
/// read ends the process all the same.
void strata_guard_set_writing(int writing);

/// Ends a guard before the map is removed.
void strata_guard_end(int guard);

#endif
