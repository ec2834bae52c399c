// SPDX-License-Identifier: Apache-2.0
//
// Each workload on raw SQLite: prepared statements, WAL, synchronous FULL. Calls do a whole
// workload. An error of SQLite ends the process with its message.
#ifndef SQLITE_PEER_H
#define SQLITE_PEER_H

#include <stddef.h>
#include <stdint.h>
#include "people.h"

#pragma clang assume_nonnull begin

typedef struct sqlite_peer sqlite_peer;

/// Opens the file, or creates it. Each peer is one connection: one thread at a time.
sqlite_peer *sqlite_open(const char *path, const people *data);
void sqlite_close(sqlite_peer *peer);

/// Inserts persons `first` … `first + count - 1`, `per_save` in each durable transaction; with
/// person 1 come the companies.
void sqlite_insert(sqlite_peer *peer, uint64_t first, uint64_t count, uint64_t per_save);
/// Changes the score of 100 persons and saves.
void sqlite_change_hundred(sqlite_peer *peer, uint64_t step);

/// The sum of all that is there.
uint64_t sqlite_digest(sqlite_peer *peer);

/// Lets all rows that were read go.
void sqlite_forget(sqlite_peer *peer);
/// Rows by serial, kept in memory. `per_turn` reads share a snapshot.
uint64_t sqlite_read_by_id(
    sqlite_peer *peer, const uint32_t *serials, size_t count, size_t per_turn);
uint64_t sqlite_fetch_all(sqlite_peer *peer);
uint64_t sqlite_stream(sqlite_peer *peer);
/// Equal name, by number of distinct name; the sum of names and ages, or of serials.
uint64_t sqlite_fetch_by_name(sqlite_peer *peer, const uint32_t *names, size_t count);
uint64_t sqlite_fetch_ids_by_name(sqlite_peer *peer, const uint32_t *names, size_t count);
/// `low` … `low + width - 1`, sorted by age or by name and then serial, the first 50.
uint64_t sqlite_fetch_by_age(
    sqlite_peer *peer, const uint32_t *lows, size_t count, uint32_t width);
uint64_t sqlite_fetch_by_age_sorted_by_name(
    sqlite_peer *peer, const uint32_t *lows, size_t count, uint32_t width);
/// From each person to its company, by one scan with a join.
uint64_t sqlite_hop(sqlite_peer *peer);

/// One save each: of all scores, of all ages, of no person any more.
void sqlite_raise_scores(sqlite_peer *peer);
void sqlite_shift_ages(sqlite_peer *peer);
void sqlite_delete_one_by_one(sqlite_peer *peer);
void sqlite_delete_at_once(sqlite_peer *peer);

#pragma clang assume_nonnull end

#endif
