// SPDX-License-Identifier: Apache-2.0
//
// The record of all changes that a process makes to files, from which a test makes the disk as a
// power cut may leave it.

#ifdef __linux__

#define _GNU_SOURCE
#include "crash_record.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "crash_points.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int recording = -1;

void crash_points_record(int file) {
  pthread_mutex_lock(&lock);
  recording = file;
  pthread_mutex_unlock(&lock);
}

int record_has(int file) {
  struct stat status;
  return recording >= 0 && file != recording && fstat(file, &status) == 0
    && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

void record_lock(void) { pthread_mutex_lock(&lock); }

void record_unlock(void) { pthread_mutex_unlock(&lock); }

static void put(const void *bytes, size_t count) {
  // Not the function that records.
  ssize_t (*original)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  if (count > 0) (void)!original(recording, bytes, count);
}

static void record(
  enum record_kind kind, uint64_t inode, uint64_t offset, const void *first, size_t first_count,
  const void *second, size_t second_count) {
  uint64_t head[5] = {kind, inode, offset, first_count, second_count};
  put(head, sizeof head);
  put(first, first_count);
  put(second, second_count);
}

/// - Returns: whether the file is one that is recorded.
static int status_of(int file, struct stat *status) {
  return record_has(file) && fstat(file, status) == 0;
}

void record_write(int file, const void *bytes, size_t count, off_t offset) {
  struct stat status;
  if (!status_of(file, &status)) return;
  record(RECORD_WRITE, status.st_ino, (uint64_t)offset, bytes, count, NULL, 0);
  if (fcntl(file, F_GETFL) & O_DSYNC) record(RECORD_SYNC, status.st_ino, 0, NULL, 0, NULL, 0);
}

void record_size(int file, off_t size) {
  struct stat status;
  if (status_of(file, &status)) {
    record(RECORD_SIZE, status.st_ino, (uint64_t)size, NULL, 0, NULL, 0);
  }
}

void record_sync(int file) {
  struct stat status;
  if (!status_of(file, &status)) return;
  record(
    S_ISDIR(status.st_mode) ? RECORD_SYNC_FOLDER : RECORD_SYNC, status.st_ino, 0, NULL, 0, NULL, 0);
}

void record_new_file(int file, const char *path) {
  struct stat status;
  if (status_of(file, &status)) {
    record(RECORD_NEW_FILE, status.st_ino, 0, path, strlen(path), NULL, 0);
  }
}

void record_names(enum record_kind kind, const char *path, const char *name) {
  if (recording >= 0) record(kind, 0, 0, path, strlen(path), name, strlen(name));
}

void crash_points_acknowledge(void) {
  record_lock();
  if (recording >= 0) record(RECORD_ACKNOWLEDGED, 0, 0, NULL, 0, NULL, 0);
  record_unlock();
}

#endif
