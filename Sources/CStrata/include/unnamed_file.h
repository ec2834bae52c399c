// SPDX-License-Identifier: Apache-2.0
//
// Files without names: calls of Linux that its C library declares only for programs that ask for
// them.
#ifndef STRATA_UNNAMED_FILE_H
#define STRATA_UNNAMED_FILE_H

#include <sys/types.h>

/// Opens a new file in `folder` that has no name, for writing. It can get one by
/// `strata_name_file`; else it is gone when it is closed.
///
/// Returns -1 with `errno` if it cannot be made: EOPNOTSUPP where the system or the file system has
/// no such files.
int strata_open_unnamed(const char *_Nonnull folder, mode_t permissions);

/// Gives a file of `strata_open_unnamed` a name that no file has yet.
///
/// Returns 0, or the error: EEXIST if a file has the name.
int strata_name_file(int file, const char *_Nonnull path);

#endif
