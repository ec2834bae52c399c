// SPDX-License-Identifier: Apache-2.0
//
// The record of a person or company under LMDB:
//
//   0 checksum u32 │ 4 generation u48 │ 10 company u32 │ 14 age i64 │ 22 score │ 30 created
//   38 ends of name, email, bio u16 each │ 44 the texts          a company: 10 name
//
// Zeros follow the texts, so that LMDB's node (a head of 8 bytes, a key of 6, the record) is a
// multiple of 8 bytes. Docs/Benchmarks.md has the effect.
//
// The checksum is Strata's own function, which is in the program anyway: the work is the same.
#ifndef RECORD_H
#define RECORD_H

#include <stdint.h>
#include <string.h>
#include "people.h"

#include "../../../../Sources/CStrata/include/checksum.h"

enum { at_company = 10, at_age = 14, at_score = 22, at_created = 30, at_ends = 38, at_texts = 44 };
enum { at_company_name = 10 };
enum { node_head_and_key = 8 + 6 };
enum { record_size_max = at_texts + name_size + email_size + bio_size + 8 };

#define FIELD(type, name, place)                                          \
  static inline type name(const uint8_t *r) {                             \
    type value;                                                           \
    memcpy(&value, r + (place), sizeof value);                            \
    return value;                                                         \
  }
FIELD(uint32_t, record_company, at_company)
FIELD(int64_t, record_age, at_age)
FIELD(double, record_score, at_score)
FIELD(double, record_created, at_created)
FIELD(uint16_t, record_name_end, at_ends)
FIELD(uint16_t, record_email_end, at_ends + 2)
FIELD(uint16_t, record_bio_end, at_ends + 4)

static inline size_t record_name_size(const uint8_t *r) { return record_name_end(r) - at_texts; }
static inline uint8_t record_name_last(const uint8_t *r) { return r[record_name_end(r) - 1]; }

/// Fills the record with zeros to the size that aligns its node.
static inline size_t record_pad(uint8_t *r, size_t size) {
  for (; (node_head_and_key + size) % 8 != 0; size++) r[size] = 0;
  return size;
}

static inline void record_seal(uint8_t *r, size_t size, uint64_t serial) {
  uint32_t sum = strata_checksum(r + 4, size - 4, serial);
  memcpy(r, &sum, 4);
}

static inline int record_is_sound(const uint8_t *r, size_t size, uint64_t serial) {
  uint32_t sum;
  memcpy(&sum, r, 4);
  return sum == strata_checksum(r + 4, size - 4, serial);
}

static inline size_t person_record(
    const person_row *row, uint64_t serial, uint64_t generation, uint8_t *r) {
  uint16_t ends[3];
  const char *texts[3] = {row->name, row->email, row->bio};
  size_t end = at_texts;
  for (int i = 0; i < 3; i++) {
    size_t size = strlen(texts[i]);
    memcpy(r + end, texts[i], size);
    end += size;
    ends[i] = (uint16_t)end;
  }
  memcpy(r + 4, &generation, 6);
  memcpy(r + at_company, &row->company, 4);
  memcpy(r + at_age, &row->age, 8);
  memcpy(r + at_score, &row->score, 8);
  memcpy(r + at_created, &row->created, 8);
  memcpy(r + at_ends, ends, 6);
  size_t size = record_pad(r, end);
  record_seal(r, size, serial);
  return size;
}

static inline size_t company_record(
    const company_row *row, uint64_t serial, uint64_t generation, uint8_t *r) {
  memcpy(r + 4, &generation, 6);
  memcpy(r + at_company_name, row->name, company_name_size);
  size_t size = record_pad(r, 10 + company_name_size);
  record_seal(r, size, serial);
  return size;
}

static inline uint64_t company_name_sum(const uint8_t *r) {
  return name_sum(company_name_size, r[at_company_name + company_name_size - 1]);
}

static inline uint64_t record_person_sum(const uint8_t *r) {
  return person_sum(record_age(r), record_name_size(r), record_name_last(r));
}

#endif
