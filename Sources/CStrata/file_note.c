// SPDX-License-Identifier: Apache-2.0
#include "file_note.h"

#if defined(__linux__) || defined(__APPLE__)
#include <sys/xattr.h>
#endif

#if defined(__linux__)

static const char name[] = "user.strata.checked";

long strata_read_file_note(int file, void *bytes, size_t count) {
  return fgetxattr(file, name, bytes, count);
}

int strata_write_file_note(int file, const void *bytes, size_t count) {
  return fsetxattr(file, name, bytes, count, 0);
}

#elif defined(__APPLE__)

static const char name[] = "strata.checked";

long strata_read_file_note(int file, void *bytes, size_t count) {
  return fgetxattr(file, name, bytes, count, 0, 0);
}

int strata_write_file_note(int file, const void *bytes, size_t count) {
  return fsetxattr(file, name, bytes, count, 0, 0);
}

#else

long strata_read_file_note(int file, void *bytes, size_t count) { return -1; }

int strata_write_file_note(int file, const void *bytes, size_t count) { return -1; }

#endif
