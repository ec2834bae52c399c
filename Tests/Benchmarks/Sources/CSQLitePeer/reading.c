// SPDX-License-Identifier: Apache-2.0
#include "connection.h"
#include <stdlib.h>
#include <string.h>

// MARK: - Rows

void sqlite_forget(sqlite_peer *peer) {
  for (size_t i = 0; i < peer->row_count; i++) free(peer->rows[i]);
  free(peer->rows);
  peer->rows = NULL;
  peer->row_count = peer->row_capacity = 0;
}

const row *keep(sqlite_peer *peer, sqlite3_stmt *s) {
  static const int columns[3] = {1, 2, 6};
  const void *parts[3];
  uint16_t ends[3], end = 0;
  for (int i = 0; i < 3; i++) {
    parts[i] = sqlite3_column_text(s, columns[i]);
    end = (uint16_t)(end + sqlite3_column_bytes(s, columns[i]));
    ends[i] = end;
  }
  row *made = malloc(sizeof *made + end);
  *made = (row){
      sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 3), sqlite3_column_int64(s, 7),
      sqlite3_column_double(s, 4), sqlite3_column_double(s, 5), {ends[0], ends[1], ends[2]}};
  for (int i = 0; i < 3; i++) {
    uint16_t from = i == 0 ? 0 : ends[i - 1];
    memcpy(made->texts + from, parts[i], (size_t)(ends[i] - from));
  }
  if (peer->row_count == peer->row_capacity) {
    peer->row_capacity = peer->row_capacity ? 2 * peer->row_capacity : 1024;
    peer->rows = realloc(peer->rows, peer->row_capacity * sizeof *peer->rows);
  }
  return peer->rows[peer->row_count++] = made;
}

// MARK: - Reading

uint64_t sqlite_read_by_id(
    sqlite_peer *peer, const uint32_t *serials, size_t count, size_t per_turn) {
  sqlite3_stmt *s = prepared(peer, read_person);
  uint64_t sum = 0;
  execute(peer, begin);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && i % per_turn == 0) execute(peer, commit), execute(peer, begin);
    sqlite3_bind_int64(s, 1, serials[i]);
    while (next(peer, s)) {
      const row *r = keep(peer, s);
      sum += row_sum(r) + bits_of(r->created);
    }
  }
  execute(peer, commit);
  return sum;
}

uint64_t sqlite_fetch_all(sqlite_peer *peer) {
  sqlite3_stmt *s = prepared(peer, all_persons);
  uint64_t sum = 0;
  while (next(peer, s)) {
    const row *r = keep(peer, s);
    sum += (uint64_t)r->age + r->ends[0];
  }
  return sum;
}

uint64_t sqlite_stream(sqlite_peer *peer) {
  sqlite3_stmt *s = prepared(peer, names_and_ages);
  uint64_t sum = 0;
  while (next(peer, s)) {
    sqlite3_column_text(s, 0);
    sum += (uint64_t)sqlite3_column_int64(s, 1) + (uint64_t)sqlite3_column_bytes(s, 0);
  }
  return sum;
}

uint64_t sqlite_fetch_by_name(sqlite_peer *peer, const uint32_t *names, size_t count) {
  sqlite3_stmt *s = prepared(peer, named);
  uint64_t sum = 0;
  execute(peer, begin);
  for (size_t i = 0; i < count; i++) {
    char name[name_size + 1];
    people_name(names[i], name);
    sqlite3_bind_text(s, 1, name, name_size, SQLITE_STATIC);
    while (next(peer, s)) sum += row_sum(keep(peer, s));
  }
  execute(peer, commit);
  return sum;
}

uint64_t sqlite_fetch_ids_by_name(sqlite_peer *peer, const uint32_t *names, size_t count) {
  sqlite3_stmt *s = prepared(peer, named_ids);
  uint64_t sum = 0;
  execute(peer, begin);
  for (size_t i = 0; i < count; i++) {
    char name[name_size + 1];
    people_name(names[i], name);
    sqlite3_bind_text(s, 1, name, name_size, SQLITE_STATIC);
    while (next(peer, s)) sum += (uint64_t)sqlite3_column_int64(s, 0);
  }
  execute(peer, commit);
  return sum;
}

static uint64_t fetch_range(
    sqlite_peer *peer, statement which, const uint32_t *lows, size_t count, uint32_t width) {
  sqlite3_stmt *s = prepared(peer, which);
  uint64_t sum = 0;
  execute(peer, begin);
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_int64(s, 1, lows[i]);
    sqlite3_bind_int64(s, 2, (int64_t)lows[i] + width);
    for (uint64_t place = 1; next(peer, s); place++) sum += place * row_sum(keep(peer, s));
  }
  execute(peer, commit);
  return sum;
}

uint64_t sqlite_fetch_by_age(
    sqlite_peer *peer, const uint32_t *lows, size_t count, uint32_t width) {
  return fetch_range(peer, aged, lows, count, width);
}

uint64_t sqlite_fetch_by_age_sorted_by_name(
    sqlite_peer *peer, const uint32_t *lows, size_t count, uint32_t width) {
  return fetch_range(peer, aged_by_name, lows, count, width);
}

uint64_t sqlite_read_all_members(sqlite_peer *peer) {
  sqlite3_stmt *s = prepared(peer, named_companies), *members = prepared(peer, employed);
  uint64_t sum = 0;
  execute(peer, begin);
  while (next(peer, s)) {
    const uint8_t *name = sqlite3_column_text(s, 1);
    size_t size = (size_t)sqlite3_column_bytes(s, 1);
    uint64_t ages = 0;
    sqlite3_bind_int64(members, 1, sqlite3_column_int64(s, 0));
    while (next(peer, members)) ages += (uint64_t)keep(peer, members)->age;
    sum += ages * name_sum(size, name[size - 1]);
  }
  execute(peer, commit);
  return sum;
}

uint64_t sqlite_hop(sqlite_peer *peer) {
  sqlite3_stmt *s = prepared(peer, hops);
  uint64_t sum = 0;
  while (next(peer, s)) {
    const uint8_t *name = sqlite3_column_text(s, 0);
    size_t size = (size_t)sqlite3_column_bytes(s, 0);
    sum += name_sum(size, name[size - 1]);
  }
  return sum;
}
