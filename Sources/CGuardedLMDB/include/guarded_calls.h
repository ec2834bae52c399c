// SPDX-License-Identifier: Apache-2.0
//
// The calls of LMDB that change a file, as calls that return where LMDB would end the process.
//
// LMDB ends the process in two cases: an assertion about a page fails, and a page of the map cannot
// be read. A guarded call leaves LMDB then, and returns MDB_CORRUPTED. The guard of the map is hit
// (`strata_guard_was_hit`): the transaction can only be aborted, and no other one may begin. LMDB's
// state of the transaction is not as LMDB expects it. An environment without a guard keeps LMDB's
// own behaviour.
//
// Each function does the same as the one of LMDB with this name (lmdb.h).
#ifndef STRATA_GUARDED_CALLS_H
#define STRATA_GUARDED_CALLS_H

#include "../../CStrataLMDB/shim.h"

/// Has the failed assertions of an environment end the guarded call in which they fail.
///
/// `guard` is the number of the guard of the environment's map; -1 for none.
void guarded_begin(MDB_env *_Nonnull environment, int guard);

int guarded_dbi_open(
  MDB_txn *_Nonnull transaction, const char *_Nonnull name, unsigned flags,
  MDB_dbi *_Nonnull tree);
int guarded_drop(MDB_txn *_Nonnull transaction, MDB_dbi tree, int removes);

int guarded_put(
  MDB_txn *_Nonnull transaction, MDB_dbi tree, MDB_val *_Nonnull key, MDB_val *_Nonnull value,
  unsigned flags);
int guarded_del(MDB_txn *_Nonnull transaction, MDB_dbi tree, MDB_val *_Nonnull key);

int guarded_cursor_put(
  MDB_cursor *_Nonnull cursor, MDB_val *_Nonnull key, MDB_val *_Nonnull value, unsigned flags);
int guarded_cursor_del(MDB_cursor *_Nonnull cursor);

/// Closes a cursor of a write transaction. It leaks with a transaction in which a call was left.
void guarded_cursor_close(MDB_cursor *_Nonnull cursor);

/// If the commit cannot be completed, the transaction is aborted. It has ended in any case.
int guarded_txn_commit(MDB_txn *_Nonnull transaction);

/// Ends the transaction. After a call that was left, it releases the lock of writers, and not the
/// memory of the transaction.
void guarded_txn_abort(MDB_txn *_Nonnull transaction);

#endif
