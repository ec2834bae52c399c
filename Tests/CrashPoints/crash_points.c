// SPDX-License-Identifier: Apache-2.0
//
// The C library's functions that change files, with a number for each call. A program that is
// linked with this file exports the functions, and so the dynamic linker leads the calls of
// liblmdb, of Foundation and of the program itself here. Other programs pay nothing.
//
// Each function counts the call and then calls the C library's own function. Memory maps are not
// counted: LMDB writes to no map but the table of readers, which a commit does not need.

#ifdef __linux__

#define _GNU_SOURCE
#include "crash_points.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long passed_count;
static atomic_long event_call;
static atomic_int event_kind;
static atomic_int is_counting;

void crash_points_begin(enum crash_points_event event, long call) {
  atomic_store(&passed_count, 0);
  atomic_store(&event_call, call);
  atomic_store(&event_kind, event);
  atomic_store(&is_counting, 1);
}

long crash_points_end(void) {
  atomic_store(&is_counting, 0);
  return atomic_load(&passed_count);
}

static _Noreturn void end_process(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

enum outcome { proceed, tear, refuse };

/// Counts a call.
///
/// \param byte_count the number of bytes that the call writes.
/// \param needs_room whether the call can fail for want of room.
static enum outcome pass(size_t byte_count, int needs_room) {
  if (!atomic_load(&is_counting)) return proceed;
  long number = atomic_fetch_add(&passed_count, 1) + 1, call = atomic_load(&event_call);
  switch (atomic_load(&event_kind)) {
    case CRASH_POINTS_KILL:
      if (number == call) end_process();
      return proceed;
    case CRASH_POINTS_TEAR:
      if (number != call) return proceed;
      // A kill divides a write between two pages.
      if (byte_count <= 4096) end_process();
      return tear;
    case CRASH_POINTS_FILL:
      return needs_room && number >= call ? refuse : proceed;
    default:
      return proceed;
  }
}

/// Half of the pages of a write of more than one page.
static size_t half(size_t byte_count) { return (byte_count - 1) / 8192 * 4096 + 4096; }

#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t count) {
  switch (pass(count, 1)) {
    case refuse: return errno = ENOSPC, -1;
    case tear: ORIGINAL(write)(file, bytes, half(count)); end_process();
    default: return ORIGINAL(write)(file, bytes, count);
  }
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  switch (pass(count, 1)) {
    case refuse: return errno = ENOSPC, -1;
    case tear: ORIGINAL(pwrite)(file, bytes, half(count), offset); end_process();
    default: return ORIGINAL(pwrite)(file, bytes, count, offset);
  }
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return pwrite(file, bytes, count, offset);
}

static size_t byte_count(const struct iovec *parts, int count) {
  size_t sum = 0;
  for (int i = 0; i < count; i++) sum += parts[i].iov_len;
  return sum;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  switch (pass(byte_count(parts, count), 1)) {
    case refuse: return errno = ENOSPC, -1;
    case tear: ORIGINAL(writev)(file, parts, (count + 1) / 2); end_process();
    default: return ORIGINAL(writev)(file, parts, count);
  }
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  switch (pass(byte_count(parts, count), 1)) {
    case refuse: return errno = ENOSPC, -1;
    case tear: ORIGINAL(pwritev)(file, parts, (count + 1) / 2, offset); end_process();
    default: return ORIGINAL(pwritev)(file, parts, count, offset);
  }
}

int ftruncate(int file, off_t size) {
  if (pass(0, 1) == refuse) return errno = ENOSPC, -1;
  return ORIGINAL(ftruncate)(file, size);
}

int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

int link(const char *path, const char *name) {
  if (pass(0, 1) == refuse) return errno = ENOSPC, -1;
  return ORIGINAL(link)(path, name);
}

int rename(const char *path, const char *name) {
  pass(0, 0);
  return ORIGINAL(rename)(path, name);
}

int renameat2(int from, const char *path, int to, const char *name, unsigned flags) {
  pass(0, 0);
  return ORIGINAL(renameat2)(from, path, to, name, flags);
}

int unlink(const char *path) {
  pass(0, 0);
  return ORIGINAL(unlink)(path);
}

int fsync(int file) {
  pass(0, 0);
  return ORIGINAL(fsync)(file);
}

int fdatasync(int file) {
  pass(0, 0);
  return ORIGINAL(fdatasync)(file);
}

int msync(void *bytes, size_t count, int flags) {
  pass(0, 0);
  return ORIGINAL(msync)(bytes, count, flags);
}

#else

#include "crash_points.h"

// Elsewhere a program cannot take the place of the C library's functions: no call has a number.

void crash_points_begin(enum crash_points_event event, long call) { (void)event, (void)call; }

long crash_points_end(void) { return 0; }

#endif
