// SPDX-License-Identifier: Apache-2.0
//
// One connection with its prepared statements and the rows that it has copied.
#ifndef CONNECTION_H
#define CONNECTION_H

#include <sqlite3.h>
#include <stdbool.h>
#include "sqlite_peer.h"

typedef enum {
  begin, commit, insert_company, insert_person, read_person, all_persons, names_and_ages,
  named, named_ids, aged, aged_by_name, hops, digests, scores, set_score, ages, set_age, all_ids,
  delete_person, raise_score, names_entries, ages_entries, companies_entries, scores_below,
  bios_with, bios_with_any_case, ages_counted, ages_summed, ids_after, least_scores, employ,
  members_counted, is_member, employed, named_companies, statement_count
} statement;

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

/// Ends the process with SQLite's message.
void fail(sqlite_peer *peer, const char *what);
/// Runs statements that return no rows.
void run(sqlite_peer *peer, const char *sql);
/// The prepared statement, ready for new arguments.
sqlite3_stmt *prepared(sqlite_peer *peer, statement which);
/// Steps to the next row. After the last one the statement is ready again.
bool next(sqlite_peer *peer, sqlite3_stmt *s);
/// Runs a prepared statement that returns no rows.
void execute(sqlite_peer *peer, statement which);

/// Keeps a copy of the row that the statement is at, as an object would.
const row *keep(sqlite_peer *peer, sqlite3_stmt *s);

static inline uint64_t row_sum(const row *r) {
  return person_sum(r->age, r->ends[0], (uint8_t)r->texts[r->ends[0] - 1]);
}

#endif
