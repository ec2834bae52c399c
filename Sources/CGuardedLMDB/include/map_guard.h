// SPDX-License-Identifier: Apache-2.0
//
// Reading a mapped file beyond its end, or where the disk cannot be read, raises SIGBUS, which ends
// the process. A guard puts an empty page in the place of the one that cannot be read, and notes
// that: the reader finds an empty page, and reports damage. A call that changes the file is
// left instead (`guarded_calls.h`).
//
// LMDB maps its lock file, too, and does not say where. If that file was cut off, an empty page
// stands for the one that is gone, and LMDB goes on with it: its lock then excludes nobody.
#ifndef STRATA_MAP_GUARD_H
#define STRATA_MAP_GUARD_H

#include <stddef.h>
#include <stdint.h>

/// Guards a map of a file. Signals elsewhere are left to the handler that was there before.
///
/// Returns the number of the guard, for the functions below; -1 if all are in use.
int strata_guard_map(const void *_Nonnull start, size_t count);

/// Guards the maps of a lock file, on Linux. Its name ends with `-lock`.
///
/// Returns the number of the guard, for the functions below; -1 if all are in use.
int strata_guard_lock_file(uint64_t inode);

/// Whether a page of the map could not be read, or an assertion about one has failed.
int strata_guard_was_hit(int guard);

/// Ends a guard before the map is removed.
void strata_guard_end(int guard);

#endif
