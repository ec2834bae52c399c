// SPDX-License-Identifier: Apache-2.0
//
// Answers from every row, and answers from an index alone.
#include "connection.h"

/// The number that a statement with one row returns.
static uint64_t number(sqlite_peer *peer, sqlite3_stmt *s) {
  uint64_t result = 0;
  while (next(peer, s)) result = (uint64_t)sqlite3_column_int64(s, 0);
  return result;
}

uint64_t sqlite_count_scores_below(sqlite_peer *peer, double bound) {
  sqlite3_stmt *s = prepared(peer, scores_below);
  sqlite3_bind_double(s, 1, bound);
  return number(peer, s);
}

uint64_t sqlite_count_bios_with(sqlite_peer *peer, const char *needle, bool is_caseless) {
  sqlite3_stmt *s = prepared(peer, is_caseless ? bios_with_any_case : bios_with);
  sqlite3_bind_text(s, 1, needle, -1, SQLITE_STATIC);
  return number(peer, s);
}

uint64_t sqlite_count_ages(sqlite_peer *peer, uint32_t low, uint32_t width, bool sums) {
  sqlite3_stmt *s = prepared(peer, sums ? ages_summed : ages_counted);
  sqlite3_bind_int64(s, 1, low);
  sqlite3_bind_int64(s, 2, (int64_t)low + width);
  return number(peer, s);
}

uint64_t sqlite_ids_by_age_after(sqlite_peer *peer, uint64_t offset) {
  sqlite3_stmt *s = prepared(peer, ids_after);
  sqlite3_bind_int64(s, 1, (int64_t)offset);
  uint64_t sum = 0;
  for (uint64_t place = 1; next(peer, s); place++)
    sum += place * (uint64_t)sqlite3_column_int64(s, 0);
  return sum;
}

uint64_t sqlite_fetch_least_scores(sqlite_peer *peer) {
  sqlite3_stmt *s = prepared(peer, least_scores);
  uint64_t sum = 0;
  for (uint64_t place = 1; next(peer, s); place++) sum += place * row_sum(keep(peer, s));
  return sum;
}

// MARK: - One reader of many

uint64_t sqlite_reader_ids(sqlite_peer *peer, const char *name) {
  sqlite3_stmt *s = prepared(peer, named_ids);
  sqlite3_bind_text(s, 1, name, name_size, SQLITE_STATIC);
  static _Thread_local int64_t ids[4096];
  uint64_t count = 0;
  while (next(peer, s)) ids[count++ % 4096] = sqlite3_column_int64(s, 0);
  return count;
}

uint64_t sqlite_reader_persons(sqlite_peer *peer, const char *name) {
  sqlite3_stmt *s = prepared(peer, named);
  sqlite3_bind_text(s, 1, name, name_size, SQLITE_STATIC);
  uint64_t sum = 0;
  while (next(peer, s)) sum += row_sum(keep(peer, s));
  sqlite_forget(peer);
  return sum;
}
