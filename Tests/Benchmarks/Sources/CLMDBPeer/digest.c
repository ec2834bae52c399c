// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

static uint64_t email_sum(const uint8_t *r) {
  return text_sum(r + record_name_end(r), record_email_end(r) - record_name_end(r));
}

static uint64_t company_sum(MDB_val company) {
  return text_sum((uint8_t *)company.mv_data + at_company_name, company_name_size);
}

static uint64_t records_digest(MDB_cursor *at, MDB_cursor *companies) {
  MDB_val key, value;
  uint64_t sum = 0;
  while (step(at, &key, &value, MDB_NEXT)) {
    serial_of(key, value);
    const uint8_t *r = value.mv_data;
    uint16_t name = record_name_end(r), email = record_email_end(r), bio = record_bio_end(r);
    sum += person_digest(
        text_sum(r + at_texts, name - at_texts), email_sum(r), text_sum(r + email, bio - email),
        record_age(r), record_score(r), record_created(r),
        company_sum(record_at(companies, record_company(r))));
  }
  return sum;
}

/// Walks an index from its first entry to its last. An entry without a record ends the process.
static uint64_t index_digest(MDB_cursor *index, int which, MDB_cursor *at, MDB_cursor *companies) {
  MDB_val key, value;
  uint64_t sum = 0;
  while (step(index, &key, &value, MDB_NEXT)) {
    const uint8_t *entry = key.mv_data;
    uint64_t serial = get_serial(entry + key.mv_size - 6);
    uint64_t email = email_sum(record_at(at, serial).mv_data);
    switch (which) {
      case by_name: sum += entry_digest(under_name, text_sum(entry, name_size), email); break;
      case by_age:
        sum += entry_digest(under_age_bucket, get_u32(entry) / age_bucket, email);
        break;
      case by_company: {
        uint64_t company = company_sum(record_at(companies, get_u32(entry)));
        sum += entry_digest(under_company, company, email);
      }
    }
  }
  return sum;
}

uint64_t lmdb_digest(lmdb_peer *peer) {
  MDB_txn *txn = begin(peer, MDB_RDONLY);
  MDB_cursor *at = cursor(txn, peer->persons), *companies = cursor(txn, peer->companies);
  uint64_t sum = records_digest(at, companies);
  for (int i = 0; i < index_count; i++) {
    MDB_cursor *index = cursor(txn, peer->indexes[i]);
    sum += index_digest(index, i, at, companies);
    mdb_cursor_close(index);
  }
  mdb_cursor_close(at), mdb_cursor_close(companies);
  mdb_txn_abort(txn);
  return sum;
}
