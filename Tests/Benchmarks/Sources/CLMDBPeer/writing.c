// SPDX-License-Identifier: Apache-2.0
#include "peer.h"
#include <pthread.h>

static const size_t value_sizes[index_count] = {name_size + 1, 4, 4};

lmdb_peer *lmdb_open(const char *path, const people *data, bool is_synced) {
  lmdb_peer *peer = calloc(1, sizeof *peer);
  peer->data = data;
  check(mdb_env_create(&peer->env), "create");
  check(mdb_env_set_maxdbs(peer->env, 8), "trees");
  check(mdb_env_set_mapsize(peer->env, (size_t)1 << 35), "map");
  unsigned options = MDB_NOSUBDIR | MDB_NOTLS | (is_synced ? 0 : MDB_NOSYNC);
  check(mdb_env_open(peer->env, path, options, 0644), "open");
  static const char *names[] = {"by-name", "by-age", "by-company"};
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  int code = mdb_dbi_open(txn, "persons", 0, &peer->persons);
  unsigned flags = 0;
  if (code == MDB_NOTFOUND) {
    mdb_txn_abort(txn);
    txn = begin(peer, 0);
    flags = MDB_CREATE;
    code = mdb_dbi_open(txn, "persons", flags, &peer->persons);
  }
  check(code, "tree");
  check(mdb_dbi_open(txn, "companies", flags, &peer->companies), "tree");
  for (int i = 0; i < index_count; i++)
    check(mdb_dbi_open(txn, names[i], flags, &peer->indexes[i]), "tree");
  check(mdb_txn_commit(txn), "commit");
  return peer;
}

void lmdb_close(lmdb_peer *peer) {
  lmdb_forget(peer);
  mdb_env_close(peer->env);
  free(peer);
}

// MARK: - Entries

static void add_entries(entries all[index_count], const uint8_t *record, uint64_t serial) {
  uint8_t *name = entries_add(&all[by_name], serial);
  memcpy(name, record + at_texts, name_size);
  name[name_size] = 0;
  put_u32(entries_add(&all[by_age], serial), (uint32_t)record_age(record));
  put_u32(entries_add(&all[by_company], serial), record_company(record));
}

/// Writes sorted entries: appends them if they come after all that are there.
static void put_entries(MDB_txn *txn, MDB_dbi tree, entries *all) {
  entries_sort(all);
  MDB_cursor *at = cursor(txn, tree);
  MDB_val key, none = {0, ""}, value;
  bool is_after = true;
  if (step(at, &key, &value, MDB_LAST)) is_after = memcmp(key.mv_data, all->bytes, all->size) < 0;
  for (size_t i = 0; i < all->count; i++) {
    key = (MDB_val){all->size, all->bytes + i * all->size};
    check(mdb_cursor_put(at, &key, &none, is_after ? MDB_APPEND : 0), "put");
  }
  mdb_cursor_close(at);
}

static void delete_entries(MDB_txn *txn, MDB_dbi tree, entries *all) {
  entries_sort(all);
  MDB_cursor *at = cursor(txn, tree);
  MDB_val value;
  for (size_t i = 0; i < all->count; i++) {
    MDB_val key = {all->size, all->bytes + i * all->size};
    check(mdb_cursor_get(at, &key, &value, MDB_SET), "entry");
    check(mdb_cursor_del(at, 0), "delete");
  }
  mdb_cursor_close(at);
}

static uint64_t count_of(MDB_txn *txn, MDB_dbi tree) {
  MDB_stat statistics;
  check(mdb_stat(txn, tree, &statistics), "count");
  return statistics.ms_entries;
}

// MARK: - Inserting

static void append(MDB_cursor *at, uint64_t serial, const uint8_t *record, size_t size) {
  uint8_t bytes[6];
  put_serial(bytes, serial);
  MDB_val key = {6, bytes}, value = {size, (void *)record};
  int code = mdb_cursor_put(at, &key, &value, MDB_APPEND);
  // Savers side by side come in any order.
  if (code == MDB_KEYEXIST) code = mdb_cursor_put(at, &key, &value, 0);
  check(code, "put");
}

static void save_new(lmdb_peer *peer, uint64_t first, uint64_t count, entries all[index_count]) {
  MDB_txn *txn = begin(peer, 0);
  uint64_t generation = mdb_txn_id(txn);
  uint8_t record[record_size_max];
  if (first == 1) {
    MDB_cursor *at = cursor(txn, peer->companies);
    for (uint64_t i = 1; i <= peer->data->company_count; i++)
      append(at, i, record, company_record(&peer->data->companies[i], i, generation, record));
    mdb_cursor_close(at);
  }
  for (int i = 0; i < index_count; i++) all[i].count = 0;
  MDB_cursor *at = cursor(txn, peer->persons);
  for (uint64_t i = first; i < first + count; i++) {
    size_t size = person_record(&peer->data->persons[i], i, generation, record);
    append(at, i, record, size);
    add_entries(all, record, i);
  }
  mdb_cursor_close(at);
  for (int i = 0; i < index_count; i++) put_entries(txn, peer->indexes[i], &all[i]);
  check(mdb_txn_commit(txn), "commit");
}

void lmdb_insert(lmdb_peer *peer, uint64_t first, uint64_t count, uint64_t per_save) {
  entries all[index_count];
  for (int i = 0; i < index_count; i++) all[i] = entries_make(value_sizes[i], per_save);
  for (uint64_t i = 0; i < count; i += per_save)
    save_new(peer, first + i, count - i < per_save ? count - i : per_save, all);
  for (int i = 0; i < index_count; i++) entries_free(&all[i]);
}

// MARK: - Changing

/// Rewrites the record that the cursor stands at.
static void rewrite(MDB_cursor *at, MDB_val key, uint8_t *record, size_t size, uint64_t serial,
                    uint64_t generation) {
  memcpy(record + 4, &generation, 6);
  record_seal(record, size, serial);
  MDB_val value = {size, record};
  check(mdb_cursor_put(at, &key, &value, MDB_CURRENT), "put");
}

static void raise_score(MDB_cursor *at, MDB_val key, MDB_val value, uint64_t generation) {
  uint64_t serial = serial_of(key, value);
  uint8_t record[record_size_max];
  memcpy(record, value.mv_data, value.mv_size);
  double score = record_score(record) + 1;
  memcpy(record + at_score, &score, sizeof score);
  rewrite(at, key, record, value.mv_size, serial, generation);
}

void lmdb_raise_scores(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, 0);
  MDB_cursor *at = cursor(txn, peer->persons);
  MDB_val key, value;
  while (step(at, &key, &value, MDB_NEXT)) raise_score(at, key, value, mdb_txn_id(txn));
  mdb_cursor_close(at);
  check(mdb_txn_commit(txn), "commit");
}

static void raise_score_of(MDB_cursor *at, uint64_t serial, uint64_t generation) {
  uint8_t bytes[6];
  put_serial(bytes, serial);
  MDB_val key = {6, bytes}, value;
  check(mdb_cursor_get(at, &key, &value, MDB_SET_KEY), "record");
  raise_score(at, key, value, generation);
}

void lmdb_change_hundred(lmdb_peer *peer, uint64_t turn) {
  MDB_txn *txn = begin(peer, 0);
  MDB_cursor *at = cursor(txn, peer->persons);
  for (uint64_t i = 0; i < 100; i++)
    raise_score_of(at, 1 + people_mix(turn * 100 + i) % peer->data->scale, mdb_txn_id(txn));
  mdb_cursor_close(at);
  check(mdb_txn_commit(txn), "commit");
}

void lmdb_change_one(lmdb_peer *peer, uint64_t serial) {
  MDB_txn *txn = begin(peer, 0);
  MDB_cursor *at = cursor(txn, peer->persons);
  raise_score_of(at, serial, mdb_txn_id(txn));
  mdb_cursor_close(at);
  check(mdb_txn_commit(txn), "commit");
}

void lmdb_shift_ages(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, 0);
  uint64_t count = count_of(txn, peer->persons);
  entries old = entries_make(4, count), new = entries_make(4, count);
  MDB_cursor *at = cursor(txn, peer->persons);
  MDB_val key, value;
  while (step(at, &key, &value, MDB_NEXT)) {
    uint64_t serial = serial_of(key, value);
    uint8_t record[record_size_max];
    memcpy(record, value.mv_data, value.mv_size);
    int64_t age = record_age(record), shifted = (age + 7919) % age_bound;
    memcpy(record + at_age, &shifted, sizeof shifted);
    rewrite(at, key, record, value.mv_size, serial, mdb_txn_id(txn));
    put_u32(entries_add(&old, serial), (uint32_t)age);
    put_u32(entries_add(&new, serial), (uint32_t)shifted);
  }
  mdb_cursor_close(at);
  delete_entries(txn, peer->indexes[by_age], &old);
  put_entries(txn, peer->indexes[by_age], &new);
  check(mdb_txn_commit(txn), "commit");
  entries_free(&old), entries_free(&new);
}

// MARK: - Deleting

void lmdb_delete_one_by_one(lmdb_peer *peer, uint64_t spared) {
  MDB_txn *txn = begin(peer, 0);
  uint64_t count = count_of(txn, peer->persons);
  entries all[index_count];
  for (int i = 0; i < index_count; i++) all[i] = entries_make(value_sizes[i], count);
  MDB_cursor *at = cursor(txn, peer->persons);
  MDB_val key, value;
  while (step(at, &key, &value, MDB_NEXT)) {
    uint64_t serial = serial_of(key, value);
    if (spared > 0 && serial % spared == 0) continue;
    add_entries(all, value.mv_data, serial);
    check(mdb_cursor_del(at, 0), "delete");
  }
  mdb_cursor_close(at);
  for (int i = 0; i < index_count; i++) delete_entries(txn, peer->indexes[i], &all[i]);
  check(mdb_txn_commit(txn), "commit");
  for (int i = 0; i < index_count; i++) entries_free(&all[i]);
}

void lmdb_delete_at_once(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, 0);
  check(mdb_drop(txn, peer->persons, 0), "drop");
  for (int i = 0; i < index_count; i++) check(mdb_drop(txn, peer->indexes[i], 0), "drop");
  check(mdb_txn_commit(txn), "commit");
}
