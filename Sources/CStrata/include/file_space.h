// SPDX-License-Identifier: Apache-2.0
//
// Blocks of the disk: a call of Linux that its C library declares only if a program asks for it.
#ifndef STRATA_FILE_SPACE_H
#define STRATA_FILE_SPACE_H

#include <sys/types.h>

/// Has the system keep blocks for `count` bytes of a file from `start`, also behind its end, which
/// stays where it is.
///
/// Returns 0, or the error: ENOSPC, EDQUOT and EFBIG if there is no room; EOPNOTSUPP where the
/// system or the file system keeps no blocks.
int strata_keep_blocks(int file, off_t start, off_t count);

#endif
