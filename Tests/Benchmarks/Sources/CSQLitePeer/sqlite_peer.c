// SPDX-License-Identifier: Apache-2.0
#include "sqlite_peer.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum {
  begin, commit, insert_company, insert_person, read_person, all_persons, names_and_ages,
  named, named_ids, aged, aged_by_name, hops, digests, scores, set_score, ages, set_age, all_ids,
  delete_person, raise_score, statement_count
} statement;

// A person is read as id, name, email, age, score, created, bio, company.
static const char *const texts[statement_count] = {
    [begin] = "BEGIN",
    [commit] = "COMMIT",
    [insert_company] = "INSERT INTO company VALUES (?1, ?2)",
    [insert_person] = "INSERT INTO person VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [read_person] = "SELECT * FROM person WHERE id = ?1",
    [all_persons] = "SELECT * FROM person",
    [names_and_ages] = "SELECT name, age FROM person",
    [named] = "SELECT * FROM person WHERE name = ?1",
    [named_ids] = "SELECT id FROM person WHERE name = ?1",
    [aged] = "SELECT * FROM person WHERE age >= ?1 AND age < ?2 ORDER BY age, id LIMIT 50",
    [aged_by_name] = "SELECT * FROM person WHERE age >= ?1 AND age < ?2 ORDER BY name, id LIMIT 50",
    [hops] = "SELECT company.name FROM person JOIN company ON company.id = person.company",
    [digests] = "SELECT person.*, company.name FROM person JOIN company ON company.id = company",
    [scores] = "SELECT id, score FROM person",
    [set_score] = "UPDATE person SET score = ?2 WHERE id = ?1",
    [ages] = "SELECT id, age FROM person",
    [set_age] = "UPDATE person SET age = ?2 WHERE id = ?1",
    [all_ids] = "SELECT id FROM person",
    [delete_person] = "DELETE FROM person WHERE id = ?1",
    [raise_score] = "UPDATE person SET score = score + 1 WHERE id = ?1",
};

/// A row that was read, its texts copied behind it.
typedef struct {
  int64_t id, age, company;
  double score, created;
  uint16_t ends[3];
  char texts[];
} row;

struct sqlite_peer {
  sqlite3 *db;
  sqlite3_stmt *statements[statement_count];
  const people *data;
  row **rows;
  size_t row_count, row_capacity;
};

static void fail(sqlite_peer *peer, const char *what) {
  fprintf(stderr, "sqlite: %s: %s\n", what, sqlite3_errmsg(peer->db));
  exit(1);
}

static void run(sqlite_peer *peer, const char *sql) {
  if (sqlite3_exec(peer->db, sql, NULL, NULL, NULL) != SQLITE_OK) fail(peer, sql);
}

/// The prepared statement, ready for new arguments.
static sqlite3_stmt *prepared(sqlite_peer *peer, statement which) {
  sqlite3_stmt **place = &peer->statements[which];
  if (!*place &&
      sqlite3_prepare_v3(peer->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, place, NULL))
    fail(peer, texts[which]);
  return *place;
}

static int next(sqlite_peer *peer, sqlite3_stmt *s) {
  int code = sqlite3_step(s);
  if (code == SQLITE_ROW) return 1;
  sqlite3_reset(s);
  if (code != SQLITE_DONE) fail(peer, sqlite3_sql(s));
  return 0;
}

static void execute(sqlite_peer *peer, statement which) { next(peer, prepared(peer, which)); }

// MARK: - Opening

static int64_t pragma(sqlite_peer *peer, const char *sql) {
  sqlite3_stmt *s;
  if (sqlite3_prepare_v2(peer->db, sql, -1, &s, NULL) || sqlite3_step(s) != SQLITE_ROW)
    fail(peer, sql);
  int64_t value = sqlite3_column_int64(s, 0);
  sqlite3_finalize(s);
  return value;
}

sqlite_peer *sqlite_open(const char *path, const people *data) {
  sqlite_peer *peer = calloc(1, sizeof *peer);
  peer->data = data;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &peer->db, flags, NULL)) fail(peer, "open");
  sqlite3_busy_timeout(peer->db, 60000);
  // 64 MiB of pages: as much as a context's cache may hold.
  run(peer, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;"
            "PRAGMA mmap_size = 1073741824; PRAGMA temp_store = MEMORY;"
            "CREATE TABLE IF NOT EXISTS company (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
            "CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
            "  email TEXT NOT NULL, age INTEGER NOT NULL, score REAL NOT NULL,"
            "  created REAL NOT NULL, bio TEXT NOT NULL, company INTEGER);"
            "CREATE INDEX IF NOT EXISTS by_name ON person (name);"
            "CREATE INDEX IF NOT EXISTS by_age ON person (age);"
            "CREATE INDEX IF NOT EXISTS by_company ON person (company)");
  if (pragma(peer, "PRAGMA synchronous") != 2) fail(peer, "synchronous is not FULL");
  return peer;
}

void sqlite_close(sqlite_peer *peer) {
  sqlite_forget(peer);
  for (int i = 0; i < statement_count; i++) sqlite3_finalize(peer->statements[i]);
  if (sqlite3_close(peer->db)) fail(peer, "close");
  free(peer);
}

// MARK: - Rows

void sqlite_forget(sqlite_peer *peer) {
  for (size_t i = 0; i < peer->row_count; i++) free(peer->rows[i]);
  free(peer->rows);
  peer->rows = NULL;
  peer->row_count = peer->row_capacity = 0;
}

/// Keeps a copy of the row that the statement stands at, as an object would.
static const row *keep(sqlite_peer *peer, sqlite3_stmt *s) {
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

static uint64_t row_sum(const row *r) {
  return person_sum(r->age, r->ends[0], (uint8_t)r->texts[r->ends[0] - 1]);
}

// MARK: - Reading

uint64_t sqlite_digest(sqlite_peer *peer) {
  sqlite3_stmt *s = prepared(peer, digests);
  uint64_t sum = 0;
  while (next(peer, s)) {
    uint64_t parts[4];
    static const int columns[4] = {1, 2, 6, 8};
    for (int i = 0; i < 4; i++) {
      const void *bytes = sqlite3_column_text(s, columns[i]);
      parts[i] = text_sum(bytes, (size_t)sqlite3_column_bytes(s, columns[i]));
    }
    sum += person_digest(
        parts[0], parts[1], parts[2], sqlite3_column_int64(s, 3), sqlite3_column_double(s, 4),
        sqlite3_column_double(s, 5), parts[3]);
  }
  return sum;
}

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

// MARK: - Writing

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
    sqlite3_bind_int64(s, 8, person->company);
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

void sqlite_delete_one_by_one(sqlite_peer *peer) {
  size_t count;
  execute(peer, begin);
  edit *all = all_edits(peer, all_ids, &count);
  sqlite3_stmt *s = prepared(peer, delete_person);
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_int64(s, 1, all[i].id);
    next(peer, s);
  }
  execute(peer, commit);
  free(all);
}

void sqlite_delete_at_once(sqlite_peer *peer) { run(peer, "DELETE FROM person"); }
