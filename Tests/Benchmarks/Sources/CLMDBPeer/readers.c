// SPDX-License-Identifier: Apache-2.0
//
// Readers on threads: each has a snapshot of its own, renewed for each question.
#include "peer.h"

struct lmdb_reader {
  MDB_txn *txn;
  MDB_cursor *index, *at;
  uint64_t serials[4096];
};

lmdb_reader *lmdb_reader_open(lmdb_peer *peer) {
  lmdb_reader *reader = malloc(sizeof *reader);
  reader->txn = begin(peer, MDB_RDONLY);
  reader->index = cursor(reader->txn, peer->indexes[by_name]);
  reader->at = cursor(reader->txn, peer->persons);
  mdb_txn_reset(reader->txn);
  return reader;
}

void lmdb_reader_close(lmdb_reader *reader) {
  mdb_cursor_close(reader->index), mdb_cursor_close(reader->at);
  mdb_txn_abort(reader->txn);
  free(reader);
}

static void renew(lmdb_reader *reader) {
  check(mdb_txn_renew(reader->txn), "renew");
  check(mdb_cursor_renew(reader->txn, reader->index), "renew");
  check(mdb_cursor_renew(reader->txn, reader->at), "renew");
}

static uint64_t find(lmdb_reader *reader, const char *name) {
  uint8_t lower[name_size + 1] = {0};
  memcpy(lower, name, name_size);
  MDB_val key = {sizeof lower, lower}, value;
  uint64_t count = 0;
  for (bool more = step(reader->index, &key, &value, MDB_SET_RANGE);
       more && has_value(key, lower, sizeof lower) && count < 4096;
       more = step(reader->index, &key, &value, MDB_NEXT))
    reader->serials[count++] = get_serial((uint8_t *)key.mv_data + sizeof lower);
  return count;
}

uint64_t lmdb_reader_ids(lmdb_reader *reader, const char *name) {
  renew(reader);
  uint64_t count = find(reader, name);
  mdb_txn_reset(reader->txn);
  return count;
}

uint64_t lmdb_reader_persons(lmdb_reader *reader, const char *name) {
  renew(reader);
  uint64_t count = find(reader, name), sum = 0;
  for (uint64_t i = 0; i < count; i++)
    sum += record_person_sum(record_at(reader->at, reader->serials[i]).mv_data);
  mdb_txn_reset(reader->txn);
  return sum;
}
