// SPDX-License-Identifier: Apache-2.0
//
// The limit: each workload on raw LMDB, as tightly as C allows. Calls do a whole workload, so that
// nothing but C is measured. An error of LMDB ends the process with its name.
#ifndef LMDB_PEER_H
#define LMDB_PEER_H

#include <stddef.h>
#include <stdint.h>
#include "people.h"

#pragma clang assume_nonnull begin

typedef struct lmdb_peer lmdb_peer;

/// Opens the file, or creates it. `path` is of the file, not of a folder.
lmdb_peer *lmdb_open(const char *path, const people *data);
void lmdb_close(lmdb_peer *peer);

/// Inserts persons `first` … `first + count - 1`, `per_save` in each durable transaction; with
/// person 1 come the companies.
void lmdb_insert(lmdb_peer *peer, uint64_t first, uint64_t count, uint64_t per_save);
/// Changes the score of 100 persons and saves; from any thread.
void lmdb_change_hundred(lmdb_peer *peer, uint64_t step);

/// The sum of all that is there.
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

/// One save each: of all scores, of all ages, of no person any more.
void lmdb_raise_scores(lmdb_peer *peer);
void lmdb_shift_ages(lmdb_peer *peer);
void lmdb_delete_one_by_one(lmdb_peer *peer);
void lmdb_delete_at_once(lmdb_peer *peer);

#pragma clang assume_nonnull end

#endif
