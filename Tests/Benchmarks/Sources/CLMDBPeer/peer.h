// SPDX-License-Identifier: Apache-2.0
#ifndef PEER_H
#define PEER_H

#include <lmdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "entries.h"
#include "lmdb_peer.h"
#include "objects.h"
#include "record.h"

enum { by_name, by_age, by_company, index_count };

struct lmdb_peer {
  MDB_env *env;
  MDB_dbi persons, companies, indexes[index_count];
  const people *data;
  /// The registered persons and companies.
  objects registered, registered_companies;
  /// A transaction whose changes are not committed; members.c has one.
  MDB_txn *pending;
};

static inline void check(int code, const char *what) {
  if (code == 0) return;
  fprintf(stderr, "lmdb: %s: %s\n", what, mdb_strerror(code));
  exit(1);
}

static inline MDB_txn *begin(lmdb_peer *peer, unsigned flags) {
  MDB_txn *txn;
  check(mdb_txn_begin(peer->env, NULL, flags, &txn), "begin");
  return txn;
}

static inline MDB_cursor *cursor(MDB_txn *txn, MDB_dbi tree) {
  MDB_cursor *made;
  check(mdb_cursor_open(txn, tree, &made), "cursor");
  return made;
}

static inline bool step(MDB_cursor *at, MDB_val *key, MDB_val *value, MDB_cursor_op operation) {
  int code = mdb_cursor_get(at, key, value, operation);
  if (code == MDB_NOTFOUND) return false;
  check(code, "get");
  return true;
}

/// The record of `serial`, checked.
static inline MDB_val record_at(MDB_cursor *at, uint64_t serial) {
  uint8_t bytes[6];
  put_serial(bytes, serial);
  MDB_val key = {6, bytes}, value;
  check(mdb_cursor_get(at, &key, &value, MDB_SET_KEY), "record");
  if (!record_is_sound(value.mv_data, value.mv_size, serial)) check(MDB_CORRUPTED, "checksum");
  return value;
}

/// The object of `serial`: the registered one, or one made from its record.
static inline object *object_of(objects *all, MDB_cursor *at, uint64_t serial) {
  object *found = objects_find(all, serial);
  if (found) return found;
  MDB_val value = record_at(at, serial);
  return objects_add(all, serial, value.mv_data, value.mv_size);
}

/// Whether the entry's value is that of `lower`, which has no serial.
static inline bool has_value(MDB_val entry, const uint8_t *lower, size_t size) {
  return entry.mv_size == size + 6 && memcmp(entry.mv_data, lower, size) == 0;
}

static inline uint32_t get_u32(const uint8_t *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/// The checked record that the cursor stands at.
static inline uint64_t serial_of(MDB_val key, MDB_val value) {
  uint64_t serial = get_serial(key.mv_data);
  if (!record_is_sound(value.mv_data, value.mv_size, serial)) check(MDB_CORRUPTED, "checksum");
  return serial;
}

#endif
