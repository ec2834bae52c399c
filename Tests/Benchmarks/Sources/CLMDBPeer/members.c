// SPDX-License-Identifier: Apache-2.0
//
// One company with many employees: its members are the entries of the index under it, and persons
// without a company are under 0. Changes are made in one transaction that is not committed.
#include "peer.h"

static const uint32_t employer = 1;

static void entry_of(uint8_t key[10], uint32_t company, uint64_t serial) {
  put_u32(key, company);
  put_serial(key + 4, serial);
}

/// Writes the person's company, in the record, the registered object and the index.
static void move_person(lmdb_peer *peer, uint64_t serial, bool joins) {
  if (!peer->pending) peer->pending = begin(peer, 0);
  MDB_cursor *at = cursor(peer->pending, peer->persons);
  MDB_cursor *index = cursor(peer->pending, peer->indexes[by_company]);
  uint8_t bytes[6], record[record_size_max], old[10], new[10];
  MDB_val value = record_at(at, serial);
  uint32_t company = joins ? employer : 0;
  uint64_t generation = mdb_txn_id(peer->pending);
  put_serial(bytes, serial);
  memcpy(record, value.mv_data, value.mv_size);
  entry_of(old, record_company(record), serial);
  entry_of(new, company, serial);
  memcpy(record + at_company, &company, sizeof company);
  memcpy(record + 4, &generation, 6);
  record_seal(record, value.mv_size, serial);
  MDB_val key = {6, bytes}, changed = {value.mv_size, record};
  check(mdb_cursor_put(at, &key, &changed, MDB_CURRENT), "put");
  object *person = objects_find(&peer->registered, serial);
  if (person) memcpy(person->record, record, value.mv_size);
  MDB_val from = {sizeof old, old}, to = {sizeof new, new}, none = {0, ""};
  check(mdb_cursor_get(index, &from, &none, MDB_SET), "entry");
  check(mdb_cursor_del(index, 0), "delete");
  none = (MDB_val){0, ""};
  check(mdb_cursor_put(index, &to, &none, 0), "put");
  mdb_cursor_close(index), mdb_cursor_close(at);
}

void lmdb_employ(lmdb_peer *peer, const uint32_t *serials, size_t count) {
  for (size_t i = 0; i < count; i++) move_person(peer, serials[i], true);
}

void lmdb_dismiss(lmdb_peer *peer, const uint32_t *serials, size_t count) {
  for (size_t i = 0; i < count; i++) move_person(peer, serials[i], false);
}

uint64_t lmdb_member_count(lmdb_peer *peer) {
  MDB_txn *txn = peer->pending ? peer->pending : begin(peer, MDB_RDONLY);
  MDB_cursor *index = cursor(txn, peer->indexes[by_company]);
  uint8_t lower[4];
  put_u32(lower, employer);
  MDB_val entry = {sizeof lower, lower}, none;
  uint64_t count = 0;
  for (bool more = step(index, &entry, &none, MDB_SET_RANGE);
       more && has_value(entry, lower, sizeof lower); more = step(index, &entry, &none, MDB_NEXT))
    count++;
  mdb_cursor_close(index);
  if (txn != peer->pending) mdb_txn_abort(txn);
  return count;
}

uint64_t lmdb_members_among(lmdb_peer *peer, const uint32_t *serials, size_t count) {
  uint64_t found = 0;
  for (size_t i = 0; i < count; i++) {
    object *person = objects_find(&peer->registered, serials[i]);
    found += person && record_company(person->record) == employer;
  }
  return found;
}

void lmdb_take_back(lmdb_peer *peer) {
  if (peer->pending) mdb_txn_abort(peer->pending);
  peer->pending = NULL;
  lmdb_forget(peer);
}
