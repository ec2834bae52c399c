// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

enum { limit = 50 };

void lmdb_forget(lmdb_peer *peer) { objects_free(&peer->registered); }

/// The object of `serial`: the registered one, or one made from its record.
static inline object *object_of(lmdb_peer *peer, MDB_cursor *at, uint64_t serial) {
  object *found = objects_find(&peer->registered, serial);
  if (found) return found;
  MDB_val value = record_at(at, serial);
  return objects_add(&peer->registered, serial, value.mv_data, value.mv_size);
}

uint64_t lmdb_digest(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->persons), *companies = cursor(txn, peer->companies);
  MDB_val key, value;
  uint64_t sum = 0;
  while (step(at, &key, &value, MDB_NEXT)) {
    serial_of(key, value);
    const uint8_t *r = value.mv_data;
    uint16_t name = record_name_end(r), email = record_email_end(r), bio = record_bio_end(r);
    MDB_val company = record_at(companies, record_company(r));
    sum += person_digest(
        text_sum(r + at_texts, name - at_texts), text_sum(r + name, email - name),
        text_sum(r + email, bio - email), record_age(r), record_score(r), record_created(r),
        text_sum((uint8_t *)company.mv_data + 10, company.mv_size - 10));
  }
  mdb_cursor_close(at), mdb_cursor_close(companies);
  mdb_txn_abort(txn);
  return sum;
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
    const uint8_t *r = object_of(peer, at, serials[i])->record;
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

/// Whether the entry's value is that of `lower`, which has no serial.
static inline bool has_value(MDB_val entry, const uint8_t *lower, size_t size) {
  return entry.mv_size == size + 6 && memcmp(entry.mv_data, lower, size) == 0;
}

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
      sum += record_person_sum(object_of(peer, at, serial)->record);
    }
  }
  mdb_cursor_close(at), mdb_cursor_close(index);
  mdb_txn_abort(txn);
  return sum;
}

// Each record is looked up and checked too: the target ratio was measured with that.
uint64_t lmdb_fetch_ids_by_name(lmdb_peer *peer, const uint32_t *names, size_t count) {
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
      record_at(at, serial);
      sum += serial;
    }
  }
  mdb_cursor_close(at), mdb_cursor_close(index);
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
  const uint8_t *b = key.mv_data;
  uint32_t age = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
  *serial = get_serial(b + 4);
  return age < low + width;
}

uint64_t lmdb_fetch_by_age(
    lmdb_peer *peer, const uint32_t *lows, size_t count, uint32_t width) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *index = cursor(txn, peer->indexes[by_age]), *at = cursor(txn, peer->persons);
  uint64_t sum = 0, serial;
  for (size_t i = 0; i < count; i++)
    for (uint64_t j = 0; j < limit && next_in_range(index, j == 0, lows[i], width, &serial); j++)
      sum += (j + 1) * record_person_sum(object_of(peer, at, serial)->record);
  mdb_cursor_close(at), mdb_cursor_close(index);
  mdb_txn_abort(txn);
  return sum;
}

// MARK: - Sorted by another value

typedef struct {
  /// The name's bytes as two numbers that compare as the bytes do.
  uint64_t high, low, serial;
  const uint8_t *record;
  size_t size;
} candidate;

static inline bool is_before(const candidate *a, const candidate *b) {
  if (a->high != b->high) return a->high < b->high;
  if (a->low != b->low) return a->low < b->low;
  return a->serial < b->serial;
}

static candidate candidate_of(MDB_val record, uint64_t serial) {
  uint8_t name[16] = {0};
  memcpy(name, (uint8_t *)record.mv_data + at_texts, record_name_size(record.mv_data));
  candidate made = {0, 0, serial, record.mv_data, record.mv_size};
  memcpy(&made.high, name, 8), memcpy(&made.low, name + 8, 8);
  made.high = __builtin_bswap64(made.high), made.low = __builtin_bswap64(made.low);
  return made;
}

/// Puts `added` in its place below the root of a heap whose root is the last in order.
static void sift(candidate *heap, size_t count, candidate added) {
  size_t i = 0;
  for (size_t child = 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && is_before(&heap[child], &heap[child + 1])) child++;
    if (!is_before(&added, &heap[child])) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = added;
}

static int in_order(const void *a, const void *b) { return is_before(a, b) ? -1 : 1; }

uint64_t lmdb_fetch_by_age_sorted_by_name(
    lmdb_peer *peer, const uint32_t *lows, size_t count, uint32_t width) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *index = cursor(txn, peer->indexes[by_age]), *at = cursor(txn, peer->persons);
  uint64_t sum = 0, serial;
  for (size_t i = 0; i < count; i++) {
    candidate heap[limit];
    size_t held = 0;
    for (bool first = true; next_in_range(index, first, lows[i], width, &serial); first = false) {
      candidate found = candidate_of(record_at(at, serial), serial);
      if (held < limit) {
        size_t place = held++;
        for (; place > 0 && is_before(&heap[(place - 1) / 2], &found); place = (place - 1) / 2)
          heap[place] = heap[(place - 1) / 2];
        heap[place] = found;
      } else if (is_before(&found, &heap[0])) {
        sift(heap, limit, found);
      }
    }
    qsort(heap, held, sizeof *heap, in_order);
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

uint64_t lmdb_hop(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->companies);
  uint64_t sum = 0;
  for (uint64_t serial = 1; serial <= peer->data->scale; serial++) {
    object *person = objects_find(&peer->registered, serial);
    if (!person) continue;
    MDB_val company = record_at(at, record_company(person->record));
    sum += name_sum(company.mv_size - 10, ((uint8_t *)company.mv_data)[company.mv_size - 1]);
  }
  mdb_cursor_close(at);
  mdb_txn_abort(txn);
  return sum;
}
