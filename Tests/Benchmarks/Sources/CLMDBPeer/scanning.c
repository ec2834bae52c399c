// SPDX-License-Identifier: Apache-2.0
//
// Answers from every record, and answers from an index without the records.
#define _GNU_SOURCE
#include "candidates.h"
#include "peer.h"

enum { page = 50 };

uint64_t lmdb_count_scores_below(lmdb_peer *peer, double bound) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->persons);
  MDB_val key, value;
  uint64_t count = 0;
  while (step(at, &key, &value, MDB_NEXT)) {
    serial_of(key, value);
    count += record_score(value.mv_data) < bound;
  }
  mdb_cursor_close(at);
  mdb_txn_abort(txn);
  return count;
}

// MARK: - Text

static bool contains_caseless(const uint8_t *text, size_t size, const char *needle, size_t length) {
  for (size_t i = 0; i + length <= size; i++) {
    size_t j = 0;
    while (j < length && (text[i + j] | 0x20) == (uint8_t)needle[j]) j++;
    if (j == length) return true;
  }
  return false;
}

uint64_t lmdb_count_bios_with(lmdb_peer *peer, const char *needle, bool is_caseless) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->persons);
  MDB_val key, value;
  uint64_t count = 0;
  size_t length = strlen(needle);
  char lower[16];
  for (size_t i = 0; i <= length && i < sizeof lower; i++)
    lower[i] = (char)(needle[i] ? needle[i] | 0x20 : 0);
  while (step(at, &key, &value, MDB_NEXT)) {
    serial_of(key, value);
    const uint8_t *r = value.mv_data, *bio = r + record_email_end(r);
    size_t size = (size_t)(r + record_bio_end(r) - bio);
    count += is_caseless ? contains_caseless(bio, size, lower, length)
                         : memmem(bio, size, needle, length) != NULL;
  }
  mdb_cursor_close(at);
  mdb_txn_abort(txn);
  return count;
}

// MARK: - An index alone

uint64_t lmdb_count_ages(lmdb_peer *peer, uint32_t low, uint32_t width, bool sums) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *index = cursor(txn, peer->indexes[by_age]);
  uint8_t lower[4];
  put_u32(lower, low);
  MDB_val key = {sizeof lower, lower}, value;
  uint64_t result = 0;
  for (bool more = step(index, &key, &value, MDB_SET_RANGE); more;
       more = step(index, &key, &value, MDB_NEXT)) {
    uint32_t age = get_u32(key.mv_data);
    if (age >= low + width) break;
    result += sums ? age : 1;
  }
  mdb_cursor_close(index);
  mdb_txn_abort(txn);
  return result;
}

uint64_t lmdb_ids_by_age_after(lmdb_peer *peer, uint64_t offset) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *index = cursor(txn, peer->indexes[by_age]);
  MDB_val key, value;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < offset + page && step(index, &key, &value, MDB_NEXT); i++)
    if (i >= offset) sum += (i - offset + 1) * get_serial((uint8_t *)key.mv_data + 4);
  mdb_cursor_close(index);
  mdb_txn_abort(txn);
  return sum;
}

// MARK: - The first by a value without an index

uint64_t lmdb_fetch_least_scores(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->persons);
  MDB_val key, value;
  candidate heap[page];
  size_t held = 0;
  while (step(at, &key, &value, MDB_NEXT)) {
    uint64_t serial = serial_of(key, value);
    // Scores are not negative, so their bits compare as they do.
    uint64_t score = bits_of(record_score(value.mv_data));
    offer(heap, &held, page, (candidate){score, 0, serial, value.mv_data, value.mv_size});
  }
  sort_candidates(heap, held);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < held; i++) {
    object *winner = objects_find(&peer->registered, heap[i].serial);
    if (!winner)
      winner = objects_add(&peer->registered, heap[i].serial, heap[i].record, heap[i].size);
    sum += (i + 1) * record_person_sum(winner->record);
  }
  mdb_cursor_close(at);
  mdb_txn_abort(txn);
  return sum;
}
