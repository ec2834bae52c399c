// SPDX-License-Identifier: Apache-2.0
//
// A note that a file system keeps beside a file's bytes (an extended attribute). Copies of the file
// do not have it.
#ifndef STRATA_FILE_NOTE_H
#define STRATA_FILE_NOTE_H

#include <stddef.h>

/// Reads the note of an open file.
///
/// Returns the number of bytes that it has, at most `count`; -1 without a note.
long strata_read_file_note(int file, void *_Nonnull bytes, size_t count);

/// Sets the note of an open file. Returns 0, or -1 if the file system does not allow it.
int strata_write_file_note(int file, const void *_Nonnull bytes, size_t count);

#endif
