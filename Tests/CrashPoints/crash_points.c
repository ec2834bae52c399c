// SPDX-License-Identifier: Apache-2.0
//
// The C library's functions that change, open and read files, with a number for each call. A
// program that is linked with this file exports the functions, and so the dynamic linker leads the
// calls of liblmdb, of Foundation and of the program itself here. Other programs pay nothing.
//
// Each function counts the call, calls the C library's own function, and records a change that has
// succeeded (`crash_record.h`). Memory maps are not counted: LMDB writes to no map but the table of
// readers, which a commit does not need.

#ifdef __linux__

#define _GNU_SOURCE
#include "crash_points.h"
#include "crash_record.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long passed_counts[CRASH_POINTS_CLASS_COUNT];
static struct crash_points_event event;
static atomic_int is_counting;

void crash_points_begin(struct crash_points_event next) {
  for (int i = 0; i < CRASH_POINTS_CLASS_COUNT; i++) atomic_store(&passed_counts[i], 0);
  event = next;
  atomic_store(&is_counting, 1);
}

void crash_points_end(void) { atomic_store(&is_counting, 0); }

long crash_points_count(enum crash_points_class call_class) {
  return atomic_load(&passed_counts[call_class]);
}

static _Noreturn void end_process(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

enum outcome { proceed, tear, shorten, refuse };

/// Counts a call. Sets errno for a call that is to be refused.
///
/// \param byte_count the number of bytes that the call writes.
/// \param needs_room whether the call can fail for want of room.
static enum outcome pass(enum crash_points_class call_class, size_t byte_count, int needs_room) {
  if (!atomic_load(&is_counting)) return proceed;
  long number = atomic_fetch_add(&passed_counts[call_class], 1) + 1;
  if (call_class != event.call_class || number < event.call) return proceed;
  int is_first = number == event.call;
  switch (event.kind) {
    case CRASH_POINTS_NONE: return proceed;
    case CRASH_POINTS_KILL:
      if (is_first) end_process();
      return proceed;
    case CRASH_POINTS_TEAR:
      if (!is_first) return proceed;
      // A kill divides a write between two pages.
      if (byte_count <= 4096) end_process();
      return tear;
    case CRASH_POINTS_STOP:
      if (is_first) kill(getpid(), SIGSTOP);
      return proceed;
    case CRASH_POINTS_SHORTEN: return is_first && byte_count > 1 ? shorten : proceed;
    case CRASH_POINTS_REFUSE_ONCE:
      if (!is_first) return proceed;
      break;
    case CRASH_POINTS_REFUSE: break;
  }
  int is_of_room = event.error == ENOSPC || event.error == EFBIG;
  if (is_of_room && !needs_room) return proceed;
  errno = event.error;
  return refuse;
}

/// Half of the pages of a write of more than one page.
static size_t half(size_t byte_count) { return (byte_count - 1) / 8192 * 4096 + 4096; }

#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// MARK: - Calls that change files

// A call and its record are one step: the record has the calls in the order of their effects.

static ssize_t recorded_write(int file, const void *bytes, size_t count, off_t offset) {
  record_lock();
  ssize_t written = ORIGINAL(pwrite)(file, bytes, count, offset);
  if (written > 0) record_write(file, bytes, (size_t)written, offset);
  record_unlock();
  return written;
}

static ssize_t sequential_write(int file, const void *bytes, size_t count) {
  // A write to a pipe waits for its reader, which may wait for the lock.
  if (!record_has(file)) return ORIGINAL(write)(file, bytes, count);
  record_lock();
  off_t offset = lseek(file, 0, SEEK_CUR);
  ssize_t written = ORIGINAL(write)(file, bytes, count);
  if (written > 0 && offset >= 0) record_write(file, bytes, (size_t)written, offset);
  record_unlock();
  return written;
}

ssize_t write(int file, const void *bytes, size_t count) {
  switch (pass(CRASH_POINTS_CHANGE, count, 1)) {
    case refuse: return -1;
    case tear: ORIGINAL(write)(file, bytes, half(count)); end_process();
    case shorten: return ORIGINAL(write)(file, bytes, count / 2);
    default: return sequential_write(file, bytes, count);
  }
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  switch (pass(CRASH_POINTS_CHANGE, count, 1)) {
    case refuse: return -1;
    case tear: ORIGINAL(pwrite)(file, bytes, half(count), offset); end_process();
    case shorten: return ORIGINAL(pwrite)(file, bytes, count / 2, offset);
    default: return recorded_write(file, bytes, count, offset);
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

static void record_parts(
  int file, const struct iovec *parts, int count, off_t offset, ssize_t written) {
  for (int i = 0; i < count && written > 0; i++) {
    size_t length = parts[i].iov_len < (size_t)written ? parts[i].iov_len : (size_t)written;
    record_write(file, parts[i].iov_base, length, offset);
    offset += (off_t)length;
    written -= (ssize_t)length;
  }
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  switch (pass(CRASH_POINTS_CHANGE, byte_count(parts, count), 1)) {
    case refuse: return -1;
    case tear: ORIGINAL(writev)(file, parts, (count + 1) / 2); end_process();
    case shorten: return ORIGINAL(write)(file, parts[0].iov_base, parts[0].iov_len / 2);
    default: break;
  }
  if (!record_has(file)) return ORIGINAL(writev)(file, parts, count);
  record_lock();
  off_t offset = lseek(file, 0, SEEK_CUR);
  ssize_t written = ORIGINAL(writev)(file, parts, count);
  if (offset >= 0) record_parts(file, parts, count, offset, written);
  record_unlock();
  return written;
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  switch (pass(CRASH_POINTS_CHANGE, byte_count(parts, count), 1)) {
    case refuse: return -1;
    case tear: ORIGINAL(pwritev)(file, parts, (count + 1) / 2, offset); end_process();
    case shorten: return ORIGINAL(pwrite)(file, parts[0].iov_base, parts[0].iov_len / 2, offset);
    default: break;
  }
  record_lock();
  ssize_t written = ORIGINAL(pwritev)(file, parts, count, offset);
  record_parts(file, parts, count, offset, written);
  record_unlock();
  return written;
}

/// Records a call that has succeeded, as one step with the call.
#define RECORDED(call, record)   \
  record_lock();                 \
  int code = call;               \
  if (code == 0) record;         \
  record_unlock();               \
  return code;

int ftruncate(int file, off_t size) {
  if (pass(CRASH_POINTS_CHANGE, 0, 1) == refuse) return -1;
  RECORDED(ORIGINAL(ftruncate)(file, size), record_size(file, size))
}

int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

int link(const char *path, const char *name) {
  if (pass(CRASH_POINTS_CHANGE, 0, 1) == refuse) return -1;
  RECORDED(ORIGINAL(link)(path, name), record_names(RECORD_LINK, path, name))
}

/// Strata names a file of `O_TMPFILE` by the path of its descriptor.
int linkat(int from, const char *path, int to, const char *name, int flags) {
  if (pass(CRASH_POINTS_CHANGE, 0, 1) == refuse) return -1;
  int file = -1;
  sscanf(path, "/proc/self/fd/%d", &file);
  RECORDED(ORIGINAL(linkat)(from, path, to, name, flags), record_new_file(file, name))
}

int rename(const char *path, const char *name) {
  if (pass(CRASH_POINTS_CHANGE, 0, 0) == refuse) return -1;
  RECORDED(ORIGINAL(rename)(path, name), record_names(RECORD_RENAME, path, name))
}

int renameat2(int from, const char *path, int to, const char *name, unsigned flags) {
  if (pass(CRASH_POINTS_CHANGE, 0, 0) == refuse) return -1;
  RECORDED(
    ORIGINAL(renameat2)(from, path, to, name, flags), record_names(RECORD_RENAME, path, name))
}

int unlink(const char *path) {
  if (pass(CRASH_POINTS_CHANGE, 0, 0) == refuse) return -1;
  RECORDED(ORIGINAL(unlink)(path), record_names(RECORD_UNLINK, path, ""))
}

int fsync(int file) {
  if (pass(CRASH_POINTS_CHANGE, 0, 0) == refuse) return -1;
  RECORDED(ORIGINAL(fsync)(file), record_sync(file))
}

int fdatasync(int file) {
  if (pass(CRASH_POINTS_CHANGE, 0, 0) == refuse) return -1;
  RECORDED(ORIGINAL(fdatasync)(file), record_sync(file))
}

int msync(void *bytes, size_t count, int flags) {
  if (pass(CRASH_POINTS_CHANGE, 0, 0) == refuse) return -1;
  return ORIGINAL(msync)(bytes, count, flags);
}

// MARK: - Calls that open files

/// The permissions, which only a call that may create a file has.
#define PERMISSIONS(flags)                                   \
  mode_t permissions = 0;                                    \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                     \
    va_list rest;                                            \
    va_start(rest, flags);                                   \
    permissions = va_arg(rest, mode_t);                      \
    va_end(rest);                                            \
  }

int open(const char *path, int flags, ...) {
  PERMISSIONS(flags)
  if (pass(CRASH_POINTS_OPEN, 0, 0) == refuse) return -1;
  record_lock();
  struct stat status;
  int is_new = (flags & O_CREAT) && stat(path, &status) != 0;
  int file = ORIGINAL(open)(path, flags, permissions);
  if (file >= 0 && is_new) record_new_file(file, path);
  record_unlock();
  return file;
}

int open64(const char *path, int flags, ...) {
  PERMISSIONS(flags)
  return open(path, flags, permissions);
}

// MARK: - Calls that read files

/// Counts a call that reads, if it reads a file: pipes and events are no files.
static enum outcome pass_reading(int file) {
  struct stat status;
  if (!atomic_load(&is_counting) || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    return proceed;
  }
  return pass(CRASH_POINTS_READ, 0, 0);
}

ssize_t read(int file, void *bytes, size_t count) {
  if (pass_reading(file) == refuse) return -1;
  return ORIGINAL(read)(file, bytes, count);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  if (pass_reading(file) == refuse) return -1;
  return ORIGINAL(pread)(file, bytes, count, offset);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
  return pread(file, bytes, count, offset);
}

#else

#include "crash_points.h"

// Elsewhere a program cannot take the place of the C library's functions: no call has a number.

void crash_points_begin(struct crash_points_event event) { (void)event; }

void crash_points_end(void) {}

long crash_points_count(enum crash_points_class call_class) { return (void)call_class, 0; }

void crash_points_record(int file) { (void)file; }

void crash_points_acknowledge(void) {}

#endif
