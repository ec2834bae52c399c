// SPDX-License-Identifier: Apache-2.0
#include "candidates.h"
#include "peer.h"

enum { limit = 50 };

void lmdb_forget(lmdb_peer *peer) {
  objects_free(&peer->registered);
  objects_free(&peer->registered_companies);
}

uint64_t lmdb_read_by_id(
    lmdb_peer *peer, const uint32_t *serials, size_t count, size_t per_turn) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->persons);
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && i % per_turn == 0) {
      mdb_txn_reset(txn);
      check(mdb_txn_renew(txn), "renew");
      check(mdb_cursor_renew(txn, at), "renew");
    }
    const uint8_t *r = object_of(&peer->registered, at, serials[i])->record;
    sum += record_person_sum(r) + bits_of(record_created(r));
  }
  mdb_cursor_close(at);
  mdb_txn_abort(txn);
  return sum;
}

uint64_t lmdb_fetch_all(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->persons);
  MDB_val key, value;
  uint64_t sum = 0;
  while (step(at, &key, &value, MDB_NEXT)) {
    uint64_t serial = serial_of(key, value);
    object *found = objects_find(&peer->registered, serial);
    if (!found) found = objects_add(&peer->registered, serial, value.mv_data, value.mv_size);
    sum += (uint64_t)record_age(found->record) + record_name_size(found->record);
  }
  mdb_cursor_close(at);
  mdb_txn_abort(txn);
  return sum;
}

uint64_t lmdb_stream(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->persons);
  MDB_val key, value;
  uint64_t sum = 0;
  while (step(at, &key, &value, MDB_NEXT)) {
    serial_of(key, value);
    sum += (uint64_t)record_age(value.mv_data) + record_name_size(value.mv_data);
  }
  mdb_cursor_close(at);
  mdb_txn_abort(txn);
  return sum;
}

// MARK: - By index

uint64_t lmdb_fetch_by_name(lmdb_peer *peer, const uint32_t *names, size_t count) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *index = cursor(txn, peer->indexes[by_name]), *at = cursor(txn, peer->persons);
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    uint8_t lower[name_size + 1];
    people_name(names[i], (char *)lower);
    MDB_val key = {sizeof lower, lower}, value;
    for (bool more = step(index, &key, &value, MDB_SET_RANGE);
         more && has_value(key, lower, sizeof lower); more = step(index, &key, &value, MDB_NEXT)) {
      uint64_t serial = get_serial((uint8_t *)key.mv_data + sizeof lower);
      sum += record_person_sum(object_of(&peer->registered, at, serial)->record);
    }
  }
  mdb_cursor_close(at), mdb_cursor_close(index);
  mdb_txn_abort(txn);
  return sum;
}

uint64_t lmdb_fetch_ids_by_name(lmdb_peer *peer, const uint32_t *names, size_t count) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *index = cursor(txn, peer->indexes[by_name]);
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    uint8_t lower[name_size + 1];
    people_name(names[i], (char *)lower);
    MDB_val key = {sizeof lower, lower}, value;
    for (bool more = step(index, &key, &value, MDB_SET_RANGE);
         more && has_value(key, lower, sizeof lower); more = step(index, &key, &value, MDB_NEXT))
      sum += get_serial((uint8_t *)key.mv_data + sizeof lower);
  }
  mdb_cursor_close(index);
  mdb_txn_abort(txn);
  return sum;
}

/// Steps through the entries of the ages in a range.
static bool next_in_range(
    MDB_cursor *index, bool is_first, uint32_t low, uint32_t width, uint64_t *serial) {
  uint8_t lower[4];
  put_u32(lower, low);
  MDB_val key = {sizeof lower, lower}, value;
  if (!step(index, &key, &value, is_first ? MDB_SET_RANGE : MDB_NEXT)) return false;
  *serial = get_serial((uint8_t *)key.mv_data + 4);
  return get_u32(key.mv_data) < low + width;
}

uint64_t lmdb_fetch_by_age(
    lmdb_peer *peer, const uint32_t *lows, size_t count, uint32_t width) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *index = cursor(txn, peer->indexes[by_age]), *at = cursor(txn, peer->persons);
  uint64_t sum = 0, serial;
  for (size_t i = 0; i < count; i++)
    for (uint64_t j = 0; j < limit && next_in_range(index, j == 0, lows[i], width, &serial); j++)
      sum += (j + 1) * record_person_sum(object_of(&peer->registered, at, serial)->record);
  mdb_cursor_close(at), mdb_cursor_close(index);
  mdb_txn_abort(txn);
  return sum;
}

// MARK: - Sorted by another value

static candidate named_candidate(MDB_val record, uint64_t serial) {
  uint8_t name[16] = {0};
  memcpy(name, (uint8_t *)record.mv_data + at_texts, record_name_size(record.mv_data));
  candidate made = {0, 0, serial, record.mv_data, record.mv_size};
  memcpy(&made.high, name, 8), memcpy(&made.low, name + 8, 8);
  made.high = __builtin_bswap64(made.high), made.low = __builtin_bswap64(made.low);
  return made;
}

uint64_t lmdb_fetch_by_age_sorted_by_name(
    lmdb_peer *peer, const uint32_t *lows, size_t count, uint32_t width) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *index = cursor(txn, peer->indexes[by_age]), *at = cursor(txn, peer->persons);
  uint64_t sum = 0, serial;
  for (size_t i = 0; i < count; i++) {
    candidate heap[limit];
    size_t held = 0;
    for (bool first = true; next_in_range(index, first, lows[i], width, &serial); first = false)
      offer(heap, &held, limit, named_candidate(record_at(at, serial), serial));
    sort_candidates(heap, held);
    for (uint64_t j = 0; j < held; j++) {
      object *winner = objects_find(&peer->registered, heap[j].serial);
      if (!winner)
        winner =
            objects_add(&peer->registered, heap[j].serial, heap[j].record, heap[j].size);
      sum += (j + 1) * record_person_sum(winner->record);
    }
  }
  mdb_cursor_close(at), mdb_cursor_close(index);
  mdb_txn_abort(txn);
  return sum;
}

// MARK: - Along a relationship

uint64_t lmdb_read_all_members(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *companies = cursor(txn, peer->companies), *at = cursor(txn, peer->persons);
  MDB_cursor *index = cursor(txn, peer->indexes[by_company]);
  uint64_t sum = 0;
  MDB_val key, value;
  while (step(companies, &key, &value, MDB_NEXT)) {
    uint64_t serial = serial_of(key, value), ages = 0;
    object *company =
        objects_add(&peer->registered_companies, serial, value.mv_data, value.mv_size);
    uint8_t lower[4];
    put_u32(lower, (uint32_t)serial);
    MDB_val entry = {sizeof lower, lower}, none;
    for (bool more = step(index, &entry, &none, MDB_SET_RANGE);
         more && has_value(entry, lower, sizeof lower);
         more = step(index, &entry, &none, MDB_NEXT)) {
      uint64_t member = get_serial((uint8_t *)entry.mv_data + sizeof lower);
      ages += (uint64_t)record_age(object_of(&peer->registered, at, member)->record);
    }
    sum += ages * company_name_sum(company->record);
  }
  mdb_cursor_close(index), mdb_cursor_close(at), mdb_cursor_close(companies);
  mdb_txn_abort(txn);
  return sum;
}

uint64_t lmdb_hop(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->companies);
  uint64_t sum = 0;
  for (uint64_t serial = 1; serial <= peer->data->scale; serial++) {
    object *person = objects_find(&peer->registered, serial);
    if (!person) continue;
    uint32_t company = record_company(person->record);
    sum += company_name_sum(object_of(&peer->registered_companies, at, company)->record);
  }
  mdb_cursor_close(at);
  mdb_txn_abort(txn);
  return sum;
}
