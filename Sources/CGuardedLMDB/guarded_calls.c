// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "guarded_calls.h"

#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __GLIBC__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "leaving.h"
#include "map_guard.h"

_Thread_local struct way_out *way_out;

// Of each environment, the number of its guard and 1 more: 0 is an environment that was not begun.
static int guard_of(MDB_env *environment) {
  return (int)(intptr_t)mdb_env_get_userctx(environment) - 1;
}

static void on_assertion(MDB_env *environment, const char *message) {
  (void)message;
  struct way_out *way = way_out;
  // Otherwise LMDB prints the message and ends the process.
  if (way == NULL || guard_of(environment) < 0) return;
  way_out = NULL;
  strata_guard_hit(guard_of(environment));
  _longjmp(way->place, 1);
}

void guarded_begin(MDB_env *environment, int guard) {
  mdb_env_set_userctx(environment, (void *)(intptr_t)(guard + 1));
  mdb_env_set_assert(environment, on_assertion);
}

// The transaction in which a changing call of this thread was left. Its list of cursors has cursors
// of the call that are gone, so LMDB must not get it again.
static _Thread_local MDB_txn *left_transaction;

// Unlocks the lock of the transaction that was left. lmdb.h has no function for that, but the lock
// is a robust mutex, and the system lists those that a thread has locked, the last one first.
// Where that is unknown, the lock is released when the process ends.
static void unlock_left_transaction(void) {
#ifdef __GLIBC__
  struct robust_list_head *locked = NULL;
  size_t size = 0;
  if (syscall(SYS_get_robust_list, 0, &locked, &size) != 0 || locked == NULL) return;
  struct robust_list *last = (struct robust_list *)((uintptr_t)locked->list.next & ~(uintptr_t)1);
  if (last == &locked->list) return;
  pthread_mutex_unlock((pthread_mutex_t *)((char *)last + locked->futex_offset));
#endif
}

// Ends the transaction without LMDB, if a call in it was left. Its pages leak: they are some that a
// damaged file has changed.
static int ended_by_leaving(MDB_txn *transaction) {
  if (left_transaction != transaction) return 0;
  left_transaction = NULL;
  unlock_left_transaction();
  return 1;
}

// The call returns a second time, with a number that is not 0, when it was left.
#define GUARDED(result, transaction, call)       \
  do {                                           \
    MDB_txn *const guarded = (transaction);      \
    struct way_out way;                          \
    if (_setjmp(way.place) != 0) {               \
      left_transaction = guarded;                \
      result = MDB_CORRUPTED;                    \
    } else {                                     \
      way_out = &way;                            \
      result = (call);                           \
      way_out = NULL;                            \
    }                                            \
  } while (0)

// Does not call LMDB once the guard was hit: pages of the transaction may be half changed, or empty
// ones that stand for pages which could not be read.
#define GUARDED_UNLESS_HIT(result, transaction, call)                         \
  do {                                                                        \
    if (strata_guard_was_ever_hit()                                           \
      && strata_guard_was_hit(guard_of(mdb_txn_env(transaction)))) {          \
      result = MDB_CORRUPTED;                                                 \
    } else {                                                                  \
      GUARDED(result, transaction, call);                                     \
    }                                                                         \
  } while (0)

int guarded_dbi_open(MDB_txn *transaction, const char *name, unsigned flags, MDB_dbi *tree) {
  int code;
  GUARDED_UNLESS_HIT(code, transaction, mdb_dbi_open(transaction, name, flags, tree));
  return code;
}

int guarded_drop(MDB_txn *transaction, MDB_dbi tree, int removes) {
  int code;
  GUARDED_UNLESS_HIT(code, transaction, mdb_drop(transaction, tree, removes));
  return code;
}

int guarded_put(MDB_txn *transaction, MDB_dbi tree, MDB_val *key, MDB_val *value, unsigned flags) {
  int code;
  GUARDED_UNLESS_HIT(code, transaction, mdb_put(transaction, tree, key, value, flags));
  return code;
}

int guarded_del(MDB_txn *transaction, MDB_dbi tree, MDB_val *key) {
  int code;
  GUARDED_UNLESS_HIT(code, transaction, mdb_del(transaction, tree, key, NULL));
  return code;
}

int guarded_cursor_put(MDB_cursor *cursor, MDB_val *key, MDB_val *value, unsigned flags) {
  int code;
  GUARDED_UNLESS_HIT(code, mdb_cursor_txn(cursor), mdb_cursor_put(cursor, key, value, flags));
  return code;
}

int guarded_cursor_del(MDB_cursor *cursor) {
  int code;
  GUARDED_UNLESS_HIT(code, mdb_cursor_txn(cursor), mdb_cursor_del(cursor, 0));
  return code;
}

void guarded_cursor_close(MDB_cursor *cursor) {
  if (left_transaction != NULL && left_transaction == mdb_cursor_txn(cursor)) return;
  mdb_cursor_close(cursor);
}

int guarded_txn_commit(MDB_txn *transaction) {
  if (ended_by_leaving(transaction)) return MDB_CORRUPTED;
  if (strata_guard_was_ever_hit() && strata_guard_was_hit(guard_of(mdb_txn_env(transaction)))) {
    guarded_txn_abort(transaction);
    return MDB_CORRUPTED;
  }
  int code;
  GUARDED(code, transaction, mdb_txn_commit(transaction));
  if (ended_by_leaving(transaction)) return MDB_CORRUPTED;
  return code;
}

void guarded_txn_abort(MDB_txn *transaction) {
  if (ended_by_leaving(transaction)) return;
  int code;
  GUARDED(code, transaction, (mdb_txn_abort(transaction), 0));
  (void)code;
  (void)ended_by_leaving(transaction);
}
