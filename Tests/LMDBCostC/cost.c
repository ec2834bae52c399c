// SPDX-License-Identifier: Apache-2.0
#include "LMDBCostC.h"

#include <string.h>

static uint64_t first_word(MDB_val value) {
  uint64_t word;
  memcpy(&word, value.mv_data, sizeof word);
  return word;
}

uint64_t strata_cost_get(MDB_txn *transaction, MDB_dbi tree, uint64_t count, uint64_t keys) {
  uint64_t random = 88172645463325252ull, sum = 0;
  for (uint64_t i = 0; i < count; i++) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    uint64_t number = __builtin_bswap64(random % keys);
    MDB_val key = {sizeof number, &number}, value;
    if (mdb_get(transaction, tree, &key, &value) == 0)
      sum += first_word(value) + value.mv_size;
  }
  return sum;
}

uint64_t strata_cost_walk(MDB_txn *transaction, MDB_dbi tree, uint64_t rounds) {
  uint64_t sum = 0;
  MDB_cursor *cursor;
  if (mdb_cursor_open(transaction, tree, &cursor)) return 0;
  for (uint64_t round = 0; round < rounds; round++) {
    MDB_val key, value;
    int code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
    while (code == 0) {
      sum += first_word(value) + key.mv_size;
      code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    }
  }
  mdb_cursor_close(cursor);
  return sum;
}
