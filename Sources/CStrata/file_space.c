// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "file_space.h"

#include <errno.h>
#include <fcntl.h>

#if defined(__linux__)

int strata_keep_blocks(int file, off_t start, off_t count) {
  int result;
  do {
    result = fallocate(file, FALLOC_FL_KEEP_SIZE, start, count);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

#else

int strata_keep_blocks(int file, off_t start, off_t count) { return EOPNOTSUPP; }

#endif
