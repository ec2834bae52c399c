// SPDX-License-Identifier: Apache-2.0
#include "mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)

static const char ending[] = "-lock";
enum { ending_count = sizeof ending - 1 };

// A line of /proc/self/maps, as far as it was read (proc(5)):
//   7f10c0000000-7f10c0003000 rw-s 00000000 fd:01 131402   /var/lib/town.strata-lock
struct line {
  enum { line_start, line_end, line_mode, line_offset, line_device, line_inode, line_path } field;
  uintptr_t start, end;
  uint64_t inode;
  // The last characters of the path.
  char tail[ending_count];
};

static int hexadecimal(char character) {
  return character <= '9' ? character - '0' : character - 'a' + 10;
}

static void read_character(struct line *line, char character) {
  if (line->field == line_path) {
    memmove(line->tail, line->tail + 1, ending_count - 1);
    line->tail[ending_count - 1] = character;
  } else if (character == (line->field == line_start ? '-' : ' ')) {
    line->field++;
  } else if (line->field == line_start) {
    line->start = line->start * 16 + (uintptr_t)hexadecimal(character);
  } else if (line->field == line_end) {
    line->end = line->end * 16 + (uintptr_t)hexadecimal(character);
  } else if (line->field == line_inode) {
    line->inode = line->inode * 10 + (uint64_t)(character - '0');
  }
}

uint64_t strata_lock_file_mapped_at(uintptr_t place) {
  int error = errno;
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  struct line line = {0};
  uint64_t inode = 0;
  int is_found = 0;
  char characters[1024];
  ssize_t count = 0;
  while (maps >= 0 && !is_found && (count = read(maps, characters, sizeof characters)) > 0) {
    for (ssize_t index = 0; index < count && !is_found; index++) {
      if (characters[index] != '\n') {
        read_character(&line, characters[index]);
        continue;
      }
      is_found = place >= line.start && place < line.end;
      if (is_found && memcmp(line.tail, ending, ending_count) == 0) inode = line.inode;
      memset(&line, 0, sizeof line);
    }
  }
  if (maps >= 0) close(maps);
  errno = error;
  return inode;
}

#else

uint64_t strata_lock_file_mapped_at(uintptr_t place) {
  (void)place;
  return 0;
}

#endif
