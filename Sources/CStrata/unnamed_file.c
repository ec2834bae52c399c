// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#if defined(__linux__)

int strata_open_unnamed(const char *folder, mode_t permissions) {
  // The file gets its name by this path, for which the system must have it.
  if (access("/proc/self/fd", X_OK) != 0) {
    errno = EOPNOTSUPP;
    return -1;
  }
  int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, permissions);
  // Linux before 3.11, and file systems without such files (open(2)).
  if (file < 0 && (errno == EISDIR || errno == EINVAL)) errno = EOPNOTSUPP;
  return file;
}

int strata_name_file(int file, const char *path) {
  char unnamed[32];
  snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", file);
  return linkat(AT_FDCWD, unnamed, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

#else

int strata_open_unnamed(const char *folder, mode_t permissions) {
  errno = EOPNOTSUPP;
  return -1;
}

int strata_name_file(int file, const char *path) { return EOPNOTSUPP; }

#endif
