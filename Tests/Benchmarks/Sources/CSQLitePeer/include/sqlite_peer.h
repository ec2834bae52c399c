// SPDX-License-Identifier: Apache-2.0
//
// Each workload on raw SQLite: prepared statements, WAL, synchronous FULL. Calls do a whole
// workload. An error of SQLite ends the process with its message.
#ifndef SQLITE_PEER_H
#define SQLITE_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "people.h"

#pragma clang assume_nonnull begin

typedef struct sqlite_peer sqlite_peer;

/// Opens the file, or creates it. Each peer is one connection: one thread at a time. Without
/// `is_synced` a commit does not wait for the disk.
sqlite_peer *sqlite_open(const char *path, const people *data, bool is_synced);
void sqlite_close(sqlite_peer *peer);

/// Inserts persons `first` … `first + count - 1`, `per_save` in each durable transaction; with
/// person 1 come the companies.
void sqlite_insert(sqlite_peer *peer, uint64_t first, uint64_t count, uint64_t per_save);
/// Changes the score of 100 persons and saves.
void sqlite_change_hundred(sqlite_peer *peer, uint64_t step);

/// Raises the score of one person and saves.
void sqlite_change_one(sqlite_peer *peer, uint64_t serial);

/// The sum of all rows, of all entries of the indexes, and of all members of companies.
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

// MARK: - All rows, or an index alone

uint64_t sqlite_count_scores_below(sqlite_peer *peer, double bound);
uint64_t sqlite_count_bios_with(sqlite_peer *peer, const char *needle, bool is_caseless);
/// The number of the ages `low` … `low + width - 1`, or their sum.
uint64_t sqlite_count_ages(sqlite_peer *peer, uint32_t low, uint32_t width, bool sums);
/// 50 serials by age after the first `offset`, each times its place.
uint64_t sqlite_ids_by_age_after(sqlite_peer *peer, uint64_t offset);
/// The 50 persons of the least scores.
uint64_t sqlite_fetch_least_scores(sqlite_peer *peer);

// MARK: - One reader of many; each has a connection of its own

/// The number of persons of the name, whose serials it has copied; or the sum of the persons.
uint64_t sqlite_reader_ids(sqlite_peer *peer, const char *name);
uint64_t sqlite_reader_persons(sqlite_peer *peer, const char *name);

// MARK: - Members of company 1

/// Moves persons into the company or out of it, in a transaction that stays open.
void sqlite_employ(sqlite_peer *peer, const uint32_t *serials, size_t count);
void sqlite_dismiss(sqlite_peer *peer, const uint32_t *serials, size_t count);
uint64_t sqlite_member_count(sqlite_peer *peer);
/// How many of the persons are members.
uint64_t sqlite_members_among(sqlite_peer *peer, const uint32_t *serials, size_t count);
/// Ends the transaction without its changes.
void sqlite_take_back(sqlite_peer *peer);
/// From each company to its persons, the age of each.
uint64_t sqlite_read_all_members(sqlite_peer *peer);

/// One save each: of all scores, of all ages; the deletion of all persons but those whose serial is
/// a multiple of `spared`, unless that is 0.
void sqlite_raise_scores(sqlite_peer *peer);
void sqlite_shift_ages(sqlite_peer *peer);
void sqlite_delete_one_by_one(sqlite_peer *peer, uint64_t spared);
void sqlite_delete_at_once(sqlite_peer *peer);

#pragma clang assume_nonnull end

#endif
