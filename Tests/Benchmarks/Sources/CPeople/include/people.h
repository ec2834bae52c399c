// SPDX-License-Identifier: Apache-2.0
//
// The data of all benchmarks: the same rows for every peer and in every run, because each value is
// a mix of the row's serial. Also the sums by which peers are compared: what each has read.
#ifndef PEOPLE_H
#define PEOPLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma clang assume_nonnull begin

enum { name_size = 12, email_size = 24, bio_size = 40, company_name_size = 16, age_bound = 100000 };
/// The ages of one bucket, in the digest of the index on age.
enum { age_bucket = 100 };

/// One person; texts end with a zero.
typedef struct {
  char name[name_size + 1], email[email_size + 1], bio[bio_size + 1];
  int64_t age;
  double score;
  /// Seconds since 1970.
  double created;
  /// The serial of the company, from 1; 0 without a company.
  uint32_t company;
} person_row;

typedef struct {
  char name[company_name_size + 1];
} company_row;

/// Rows by serial, from 1; index 0 is not used.
typedef struct {
  /// How many persons the workloads are about. There are some more, to be inserted one by one.
  uint64_t scale;
  uint64_t person_count, company_count, name_count;
  person_row *persons;
  company_row *companies;
} people;

/// Makes the rows for `scale` persons, and `extra` more. Never freed.
const people *people_make(uint64_t scale, uint64_t extra);

/// The same with one company: the first `count` persons belong to it, the `spare` ones to none.
const people *people_make_members(uint64_t count, uint64_t spare);

/// The text of distinct name number `index`.
void people_name(uint64_t index, char *text);

/// A bijective mix of 64 bits (SplitMix64's).
static inline uint64_t people_mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

// MARK: - Sums

static inline uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// FNV-1a over a text's bytes.
static inline uint64_t text_sum(const void *bytes, size_t count) {
  const unsigned char *p = bytes;
  uint64_t sum = 0xCBF29CE484222325u;
  for (size_t i = 0; i < count; i++) sum = (sum ^ p[i]) * 0x100000001B3u;
  return sum;
}

/// The parts of a name that are read: its length and its last byte.
static inline uint64_t name_sum(size_t count, uint8_t last) { return 31 * (uint64_t)count + last; }

/// The parts of a person that are read, by name and age.
static inline uint64_t person_sum(int64_t age, size_t name_count, uint8_t name_last) {
  return (uint64_t)age + name_sum(name_count, name_last);
}

/// The contents of a person, with its company's name.
static inline uint64_t person_digest(
    uint64_t name, uint64_t email, uint64_t bio, int64_t age, double score, double created,
    uint64_t company_name) {
  return people_mix(
      name + 3 * email + 5 * bio + 7 * (uint64_t)age + 11 * bits_of(score) + 13 * bits_of(created) +
      17 * company_name);
}

/// The ways to persons: two indexes, and the many side of a relationship.
enum { under_name = 1, under_age_bucket, under_company };

/// A person as one of these ways finds it: by the value that it is found under and its email, which
/// identifies it. A store's digest is the sum of its persons and of what each way finds, so a peer
/// that did not maintain an index has another digest.
static inline uint64_t entry_digest(uint64_t way, uint64_t value, uint64_t email) {
  return people_mix(way + 19 * value + 23 * email);
}

#pragma clang assume_nonnull end

#endif
