// SPDX-License-Identifier: Apache-2.0
#include "connection.h"
#include <stdio.h>
#include <stdlib.h>

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
    [names_entries] = "SELECT name, email FROM person INDEXED BY by_name WHERE name >= ''",
    [ages_entries] = "SELECT age, email FROM person INDEXED BY by_age WHERE age >= 0",
    [companies_entries] = ("SELECT company.name, email FROM company CROSS JOIN person"
                          " INDEXED BY by_company ON person.company = company.id"),
    [scores_below] = "SELECT count(*) FROM person WHERE score < ?1",
    [bios_with] = "SELECT count(*) FROM person WHERE instr(bio, ?1) > 0",
    [bios_with_any_case] = "SELECT count(*) FROM person WHERE bio LIKE '%' || ?1 || '%'",
    [ages_counted] = "SELECT count(*) FROM person WHERE age >= ?1 AND age < ?2",
    [ages_summed] = "SELECT sum(age) FROM person WHERE age >= ?1 AND age < ?2",
    [ids_after] = "SELECT id FROM person ORDER BY age, id LIMIT 50 OFFSET ?1",
    [least_scores] = "SELECT * FROM person ORDER BY score, id LIMIT 50",
    [employ] = "UPDATE person SET company = ?2 WHERE id = ?1",
    [members_counted] = "SELECT count(*) FROM person WHERE company = 1",
    [is_member] = "SELECT 1 FROM person WHERE id = ?1 AND company = 1",
    [employed] = "SELECT * FROM person WHERE company = ?1",
    [named_companies] = "SELECT id, name FROM company",
};

void fail(sqlite_peer *peer, const char *what) {
  fprintf(stderr, "sqlite: %s: %s\n", what, sqlite3_errmsg(peer->db));
  exit(1);
}

void run(sqlite_peer *peer, const char *sql) {
  if (sqlite3_exec(peer->db, sql, NULL, NULL, NULL) != SQLITE_OK) fail(peer, sql);
}

sqlite3_stmt *prepared(sqlite_peer *peer, statement which) {
  sqlite3_stmt **place = &peer->statements[which];
  if (!*place &&
      sqlite3_prepare_v3(peer->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, place, NULL))
    fail(peer, texts[which]);
  return *place;
}

bool next(sqlite_peer *peer, sqlite3_stmt *s) {
  int code = sqlite3_step(s);
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(s);
  if (code != SQLITE_DONE) fail(peer, sqlite3_sql(s));
  return false;
}

void execute(sqlite_peer *peer, statement which) { next(peer, prepared(peer, which)); }

// MARK: - Opening

static int64_t pragma(sqlite_peer *peer, const char *sql) {
  sqlite3_stmt *s;
  if (sqlite3_prepare_v2(peer->db, sql, -1, &s, NULL) || sqlite3_step(s) != SQLITE_ROW)
    fail(peer, sql);
  int64_t value = sqlite3_column_int64(s, 0);
  sqlite3_finalize(s);
  return value;
}

sqlite_peer *sqlite_open(const char *path, const people *data, bool is_synced) {
  sqlite_peer *peer = calloc(1, sizeof *peer);
  peer->data = data;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &peer->db, flags, NULL)) fail(peer, "open");
  sqlite3_busy_timeout(peer->db, 60000);
  // 64 MiB of pages: as much as a context's cache may hold.
  run(peer, "PRAGMA journal_mode = WAL; PRAGMA cache_size = -65536;"
            "PRAGMA mmap_size = 1073741824; PRAGMA temp_store = MEMORY;"
            "CREATE TABLE IF NOT EXISTS company (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
            "CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
            "  email TEXT NOT NULL, age INTEGER NOT NULL, score REAL NOT NULL,"
            "  created REAL NOT NULL, bio TEXT NOT NULL, company INTEGER);"
            "CREATE INDEX IF NOT EXISTS by_name ON person (name);"
            "CREATE INDEX IF NOT EXISTS by_age ON person (age);"
            "CREATE INDEX IF NOT EXISTS by_company ON person (company)");
  run(peer, is_synced ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
  if (pragma(peer, "PRAGMA synchronous") != (is_synced ? 2 : 0)) fail(peer, "synchronous");
  return peer;
}

void sqlite_close(sqlite_peer *peer) {
  sqlite_forget(peer);
  for (int i = 0; i < statement_count; i++) sqlite3_finalize(peer->statements[i]);
  if (sqlite3_close(peer->db)) fail(peer, "close");
  free(peer);
}
