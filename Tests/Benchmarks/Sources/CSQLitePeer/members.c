// SPDX-License-Identifier: Apache-2.0
//
// One company with many employees. Changes are made in one transaction that is not committed.
#include "connection.h"

static void move_persons(
    sqlite_peer *peer, const uint32_t *serials, size_t count, bool joins) {
  if (sqlite3_get_autocommit(peer->db)) run(peer, "BEGIN IMMEDIATE");
  sqlite3_stmt *s = prepared(peer, employ);
  if (joins) sqlite3_bind_int64(s, 2, 1);
  else sqlite3_bind_null(s, 2);
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_int64(s, 1, serials[i]);
    next(peer, s);
  }
}

void sqlite_employ(sqlite_peer *peer, const uint32_t *serials, size_t count) {
  move_persons(peer, serials, count, true);
}

void sqlite_dismiss(sqlite_peer *peer, const uint32_t *serials, size_t count) {
  move_persons(peer, serials, count, false);
}

uint64_t sqlite_member_count(sqlite_peer *peer) {
  sqlite3_stmt *s = prepared(peer, members_counted);
  uint64_t count = 0;
  while (next(peer, s)) count = (uint64_t)sqlite3_column_int64(s, 0);
  return count;
}

uint64_t sqlite_members_among(sqlite_peer *peer, const uint32_t *serials, size_t count) {
  sqlite3_stmt *s = prepared(peer, is_member);
  uint64_t found = 0;
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_int64(s, 1, serials[i]);
    while (next(peer, s)) found++;
  }
  return found;
}

void sqlite_take_back(sqlite_peer *peer) {
  if (!sqlite3_get_autocommit(peer->db)) run(peer, "ROLLBACK");
}
