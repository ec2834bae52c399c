// SPDX-License-Identifier: Apache-2.0

#ifndef CRASH_RECORD_H
#define CRASH_RECORD_H

#ifdef __linux__

#include <sys/types.h>

/// The kinds of entries. An entry has five numbers of 8 bytes, little-endian: kind, file, offset,
/// and the counts of bytes of the two fields that follow. A file has its inode number.
enum record_kind {
  /// The first field is written at the offset.
  RECORD_WRITE = 1,
  /// The file has `offset` bytes.
  RECORD_SIZE,
  /// All that was written to the file before is on the disk.
  RECORD_SYNC,
  /// The file is new, at the path in the first field.
  RECORD_NEW_FILE,
  /// The paths in the two fields.
  RECORD_LINK,
  RECORD_RENAME,
  RECORD_UNLINK,
  /// All changes of names are on the disk.
  RECORD_SYNC_FOLDER,
  /// The process was told that the operation has ended.
  RECORD_ACKNOWLEDGED,
};

/// Whether a descriptor is of a file or a folder and changes are recorded.
int record_has(int file);

void record_lock(void);
void record_unlock(void);

// Between `record_lock` and `record_unlock`:

/// Records also that the file is synced, if it was opened so that each write is.
void record_write(int file, const void *bytes, size_t count, off_t offset);
void record_size(int file, off_t size);
/// - Parameter file: a file or a folder.
void record_sync(int file);
void record_new_file(int file, const char *path);
void record_names(enum record_kind kind, const char *path, const char *name);

#endif

#endif
