// SPDX-License-Identifier: Apache-2.0
#include "connection.h"

static uint64_t column_sum(sqlite3_stmt *s, int column) {
  const void *bytes = sqlite3_column_text(s, column);
  return text_sum(bytes, (size_t)sqlite3_column_bytes(s, column));
}

static uint64_t rows_digest(sqlite_peer *peer) {
  sqlite3_stmt *s = prepared(peer, digests);
  uint64_t sum = 0;
  while (next(peer, s)) {
    uint64_t parts[4];
    static const int columns[4] = {1, 2, 6, 8};
    for (int i = 0; i < 4; i++) {
      parts[i] = column_sum(s, columns[i]);
    }
    sum += person_digest(
        parts[0], parts[1], parts[2], sqlite3_column_int64(s, 3), sqlite3_column_double(s, 4),
        sqlite3_column_double(s, 5), parts[3]);
  }
  return sum;
}

/// Each statement names its index: SQLite refuses it if it cannot use that index.
uint64_t sqlite_digest(sqlite_peer *peer) {
  uint64_t sum = rows_digest(peer);
  sqlite3_stmt *s = prepared(peer, names_entries);
  while (next(peer, s)) sum += entry_digest(under_name, column_sum(s, 0), column_sum(s, 1));
  s = prepared(peer, ages_entries);
  while (next(peer, s)) {
    uint64_t bucket = (uint64_t)sqlite3_column_int64(s, 0) / age_bucket;
    sum += entry_digest(under_age_bucket, bucket, column_sum(s, 1));
  }
  s = prepared(peer, companies_entries);
  while (next(peer, s)) sum += entry_digest(under_company, column_sum(s, 0), column_sum(s, 1));
  return sum;
}
