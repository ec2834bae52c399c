// SPDX-License-Identifier: Apache-2.0
//
// The limit: each workload on raw LMDB, as tightly as C allows. Calls do a whole workload, so that
// nothing but C is measured. An error of LMDB ends the process with its name.
#ifndef LMDB_PEER_H
#define LMDB_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "people.h"

#pragma clang assume_nonnull begin

typedef struct lmdb_peer lmdb_peer;

/// Opens the file, or creates it. `path` is of the file, not of a folder. Without `is_synced` a
/// commit does not wait for the disk.
lmdb_peer *lmdb_open(const char *path, const people *data, bool is_synced);
void lmdb_close(lmdb_peer *peer);

/// Inserts persons `first` … `first + count - 1`, `per_save` in each durable transaction; with
/// person 1 come the companies.
void lmdb_insert(lmdb_peer *peer, uint64_t first, uint64_t count, uint64_t per_save);
/// Changes the score of 100 persons and saves; from any thread.
void lmdb_change_hundred(lmdb_peer *peer, uint64_t step);

/// Raises the score of one person and saves.
void lmdb_change_one(lmdb_peer *peer, uint64_t serial);

/// The sum of all records, of all entries of the indexes, and of all members of companies.
uint64_t lmdb_digest(lmdb_peer *peer);

/// Releases all objects: the following work starts as in a fresh context.
void lmdb_forget(lmdb_peer *peer);
/// Objects by serial. `per_turn` reads share a snapshot.
uint64_t lmdb_read_by_id(
    lmdb_peer *peer, const uint32_t *serials, size_t count, size_t per_turn);
uint64_t lmdb_fetch_all(lmdb_peer *peer);
uint64_t lmdb_stream(lmdb_peer *peer);
/// Equal name, by number of distinct name; the sum of names and ages, or of serials.
uint64_t lmdb_fetch_by_name(
    lmdb_peer *peer, const uint32_t *names, size_t count);
uint64_t lmdb_fetch_ids_by_name(
    lmdb_peer *peer, const uint32_t *names, size_t count);
/// `low` … `low + width - 1`, sorted by age or by name and then serial, the first 50.
uint64_t lmdb_fetch_by_age(
    lmdb_peer *peer, const uint32_t *lows, size_t count, uint32_t width);
uint64_t lmdb_fetch_by_age_sorted_by_name(
    lmdb_peer *peer, const uint32_t *lows, size_t count, uint32_t width);
/// From each registered person, in order of serial, to its company. After `lmdb_fetch_all`.
uint64_t lmdb_hop(lmdb_peer *peer);

// MARK: - All records, or an index alone

uint64_t lmdb_count_scores_below(lmdb_peer *peer, double bound);
uint64_t lmdb_count_bios_with(lmdb_peer *peer, const char *needle, bool is_caseless);
/// The number of the ages `low` … `low + width - 1`, or their sum.
uint64_t lmdb_count_ages(lmdb_peer *peer, uint32_t low, uint32_t width, bool sums);
/// 50 serials by age after the first `offset`, each times its place.
uint64_t lmdb_ids_by_age_after(lmdb_peer *peer, uint64_t offset);
/// The 50 persons of the least scores.
uint64_t lmdb_fetch_least_scores(lmdb_peer *peer);

// MARK: - Readers on threads

typedef struct lmdb_reader lmdb_reader;
lmdb_reader *lmdb_reader_open(lmdb_peer *peer);
void lmdb_reader_close(lmdb_reader *reader);
/// The number of persons of the name, whose serials it has copied; or the sum of the persons.
uint64_t lmdb_reader_ids(lmdb_reader *reader, const char *name);
uint64_t lmdb_reader_persons(lmdb_reader *reader, const char *name);

// MARK: - Members of company 1

/// Moves persons into the company or out of it, in a transaction that stays open.
void lmdb_employ(lmdb_peer *peer, const uint32_t *serials, size_t count);
void lmdb_dismiss(lmdb_peer *peer, const uint32_t *serials, size_t count);
uint64_t lmdb_member_count(lmdb_peer *peer);
/// How many of the registered persons are members.
uint64_t lmdb_members_among(lmdb_peer *peer, const uint32_t *serials, size_t count);
/// Ends the transaction without its changes, and releases all objects.
void lmdb_take_back(lmdb_peer *peer);
/// From each company to its persons, the age of each.
uint64_t lmdb_read_all_members(lmdb_peer *peer);

/// One save each: of all scores, of all ages; the deletion of all persons but those whose serial is
/// a multiple of `spared`, unless that is 0.
void lmdb_raise_scores(lmdb_peer *peer);
void lmdb_shift_ages(lmdb_peer *peer);
void lmdb_delete_one_by_one(lmdb_peer *peer, uint64_t spared);
void lmdb_delete_at_once(lmdb_peer *peer);

#pragma clang assume_nonnull end

#endif
