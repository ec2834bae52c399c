// SPDX-License-Identifier: Apache-2.0
//
// The loops that LMDBCost measures StrataLMDB against, in C.
#ifndef STRATA_LMDB_COST_C_H
#define STRATA_LMDB_COST_C_H

#include <lmdb.h>
#include <stdint.h>

/// Looks up `count` of the keys 0..<`keys` in a fixed random order; gives a sum over the values.
uint64_t strata_cost_get(MDB_txn *_Nonnull transaction, MDB_dbi tree, uint64_t count,
                         uint64_t keys);

/// Walks all entries `rounds` times with one cursor; gives a sum over keys and values.
uint64_t strata_cost_walk(MDB_txn *_Nonnull transaction, MDB_dbi tree, uint64_t rounds);

#endif
