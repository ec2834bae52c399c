// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "map_guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "leaving.h"
#include "mapped_file.h"

// A guard in use has a start, or the number of a lock file. The handler reads the guards without a
// lock: these are written last and removed first.
struct guard {
  _Atomic uintptr_t start;
  _Atomic size_t count;
  _Atomic uint64_t lock_file;
  _Atomic int was_hit;
  _Atomic int is_taken;
};

enum { guard_count = 4096 };
static struct guard guards[guard_count];
_Atomic int guard_was_ever_hit;
static struct sigaction former_action;
static long page_byte_count;

static void pass_on(int number, siginfo_t *information, void *context) {
  if (former_action.sa_flags & SA_SIGINFO) {
    if (former_action.sa_sigaction) former_action.sa_sigaction(number, information, context);
    return;
  }
  int is_sent = information->si_code <= 0;
  if (former_action.sa_handler == SIG_IGN && is_sent) return;
  if (former_action.sa_handler != SIG_DFL && former_action.sa_handler != SIG_IGN) {
    former_action.sa_handler(number);
    return;
  }
  // A fault is repeated without a handler, and ends the process.
  signal(number, SIG_DFL);
  if (is_sent) raise(number);
}

// LMDB may copy a page and move its entries in the copy, so an empty page is not enough there: the
// call ends. The fault is one of LMDB's or memcpy's reads, and neither holds a lock of the process.
static _Noreturn void leave_call(int guard) {
  struct way_out *way = way_out;
  way_out = NULL;
  strata_guard_hit(guard);
  // The handler does not return, which would unblock the signal.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGBUS);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  _longjmp(way->place, 1);
}

// Puts a page of zeros in the place of one that is gone. NULL if that is not possible.
static void *place_page(uintptr_t place) {
  void *page = (void *)(place & ~(uintptr_t)(page_byte_count - 1));
  void *placed = mmap(
    page, (size_t)page_byte_count, PROT_READ | PROT_WRITE,
    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return placed == MAP_FAILED ? NULL : placed;
}

// Handles a fault in the map of a guarded lock file. LMDB's memory there has no pointers.
static int handle_in_lock_file(uintptr_t place) {
  uint64_t file = strata_lock_file_mapped_at(place);
  if (file == 0) return 0;
  for (int index = 0; index < guard_count; index++) {
    if (atomic_load(&guards[index].lock_file) != file) continue;
    if (place_page(place) == NULL) return 0;
    strata_guard_hit(index);
    return 1;
  }
  return 0;
}

static void handle(int number, siginfo_t *information, void *context) {
  // Of a signal that another process has sent, there is no place.
  uintptr_t place = information->si_code > 0 ? (uintptr_t)information->si_addr : 0;
  for (int index = 0; index < guard_count; index++) {
    uintptr_t start = atomic_load(&guards[index].start);
    if (start == 0 || place < start || place - start >= atomic_load(&guards[index].count)) continue;
    if (way_out != NULL) leave_call(index);
    void *placed = place_page(place);
    if (placed == NULL) break;
    // A page of LMDB without entries. Its number is not a page's, and it is of no kind, so that
    // LMDB's searches report damage.
    uint16_t head[8] = {0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0, 0, 16, (uint16_t)page_byte_count};
    memcpy(placed, head, sizeof head);
    mprotect(placed, (size_t)page_byte_count, PROT_READ);
    strata_guard_hit(index);
    return;
  }
  if (place != 0 && handle_in_lock_file(place)) return;
  pass_on(number, information, context);
}

static void install(void) {
  page_byte_count = sysconf(_SC_PAGESIZE);
  struct sigaction action = {0};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &former_action);
}

// A guard that is not in use, and is now; -1 if there is none.
static int take_guard(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  for (int index = 0; index < guard_count; index++) {
    int is_taken = 0;
    if (!atomic_compare_exchange_strong(&guards[index].is_taken, &is_taken, 1)) continue;
    atomic_store(&guards[index].was_hit, 0);
    return index;
  }
  return -1;
}

int strata_guard_map(const void *start, size_t count) {
  int guard = take_guard();
  if (guard < 0) return guard;
  atomic_store(&guards[guard].count, count);
  atomic_store(&guards[guard].start, (uintptr_t)start);
  return guard;
}

int strata_guard_lock_file(uint64_t inode) {
  int guard = take_guard();
  if (guard >= 0) atomic_store(&guards[guard].lock_file, inode);
  return guard;
}

int strata_guard_was_hit(int guard) {
  return guard >= 0 && atomic_load_explicit(&guards[guard].was_hit, memory_order_relaxed);
}

void strata_guard_hit(int guard) {
  if (guard < 0) return;
  atomic_store(&guards[guard].was_hit, 1);
  atomic_store(&guard_was_ever_hit, 1);
}

void strata_guard_end(int guard) {
  if (guard < 0) return;
  atomic_store(&guards[guard].start, 0);
  atomic_store(&guards[guard].lock_file, 0);
  atomic_store(&guards[guard].is_taken, 0);
}
