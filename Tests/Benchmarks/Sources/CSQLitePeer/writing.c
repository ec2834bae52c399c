// SPDX-License-Identifier: Apache-2.0
#include "connection.h"
#include <stdlib.h>

void sqlite_insert(sqlite_peer *peer, uint64_t first, uint64_t count, uint64_t per_save) {
  for (uint64_t i = first; i < first + count; i++) {
    if ((i - first) % per_save == 0) execute(peer, begin);
    if (i == 1) {
      sqlite3_stmt *s = prepared(peer, insert_company);
      for (uint64_t j = 1; j <= peer->data->company_count; j++) {
        sqlite3_bind_int64(s, 1, (int64_t)j);
        sqlite3_bind_text(s, 2, peer->data->companies[j].name, company_name_size, SQLITE_STATIC);
        next(peer, s);
      }
    }
    const person_row *person = &peer->data->persons[i];
    sqlite3_stmt *s = prepared(peer, insert_person);
    sqlite3_bind_int64(s, 1, (int64_t)i);
    sqlite3_bind_text(s, 2, person->name, name_size, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, person->email, email_size, SQLITE_STATIC);
    sqlite3_bind_int64(s, 4, person->age);
    sqlite3_bind_double(s, 5, person->score);
    sqlite3_bind_double(s, 6, person->created);
    sqlite3_bind_text(s, 7, person->bio, bio_size, SQLITE_STATIC);
    if (person->company) sqlite3_bind_int64(s, 8, person->company);
    else sqlite3_bind_null(s, 8);
    next(peer, s);
    if ((i - first) % per_save == per_save - 1 || i == first + count - 1) execute(peer, commit);
  }
}

void sqlite_change_hundred(sqlite_peer *peer, uint64_t step) {
  run(peer, "BEGIN IMMEDIATE");
  sqlite3_stmt *s = prepared(peer, raise_score);
  for (uint64_t i = 0; i < 100; i++) {
    sqlite3_bind_int64(s, 1, (int64_t)(1 + people_mix(step * 100 + i) % peer->data->scale));
    next(peer, s);
  }
  execute(peer, commit);
}

void sqlite_change_one(sqlite_peer *peer, uint64_t serial) {
  sqlite3_stmt *s = prepared(peer, raise_score);
  sqlite3_bind_int64(s, 1, (int64_t)serial);
  next(peer, s);
}

typedef struct {
  int64_t id, age;
  double score;
} edit;

/// The IDs and one value of all persons, as they are before a save changes them.
static edit *all_edits(sqlite_peer *peer, statement which, size_t *count) {
  size_t capacity = 1024;
  edit *all = malloc(capacity * sizeof *all);
  sqlite3_stmt *s = prepared(peer, which);
  for (*count = 0; next(peer, s); (*count)++) {
    if (*count == capacity) all = realloc(all, (capacity *= 2) * sizeof *all);
    all[*count].id = sqlite3_column_int64(s, 0);
    if (which == scores) all[*count].score = sqlite3_column_double(s, 1);
    if (which == ages) all[*count].age = sqlite3_column_int64(s, 1);
  }
  return all;
}

void sqlite_raise_scores(sqlite_peer *peer) {
  size_t count;
  execute(peer, begin);
  edit *all = all_edits(peer, scores, &count);
  sqlite3_stmt *s = prepared(peer, set_score);
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_int64(s, 1, all[i].id);
    sqlite3_bind_double(s, 2, all[i].score + 1);
    next(peer, s);
  }
  execute(peer, commit);
  free(all);
}

void sqlite_shift_ages(sqlite_peer *peer) {
  size_t count;
  execute(peer, begin);
  edit *all = all_edits(peer, ages, &count);
  sqlite3_stmt *s = prepared(peer, set_age);
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_int64(s, 1, all[i].id);
    sqlite3_bind_int64(s, 2, (all[i].age + 7919) % age_bound);
    next(peer, s);
  }
  execute(peer, commit);
  free(all);
}

void sqlite_delete_one_by_one(sqlite_peer *peer, uint64_t spared) {
  size_t count;
  execute(peer, begin);
  edit *all = all_edits(peer, all_ids, &count);
  sqlite3_stmt *s = prepared(peer, delete_person);
  for (size_t i = 0; i < count; i++) {
    if (spared > 0 && (uint64_t)all[i].id % spared == 0) continue;
    sqlite3_bind_int64(s, 1, all[i].id);
    next(peer, s);
  }
  execute(peer, commit);
  free(all);
}

void sqlite_delete_at_once(sqlite_peer *peer) { run(peer, "DELETE FROM person"); }
