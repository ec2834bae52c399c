// SPDX-License-Identifier: Apache-2.0
//
// Sixteen positions at a time: a position is a candidate if the first and the last of the wanted
// bytes are in their places. Few candidates are none of the occurrences, and those are compared.
#include "find.h"
#include <stdint.h>
#include <string.h>

typedef uint8_t block __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum { block_count = sizeof(block) };

static inline block load(const unsigned char *bytes) {
  block loaded;
  memcpy(&loaded, bytes, sizeof loaded);
  return loaded;
}

static inline block repeated(unsigned char byte) { return (block){0} + byte; }

static inline bool is_any(block mask) {
  halves both = (halves)mask;
  return (both[0] | both[1]) != 0;
}

static inline unsigned char small_letter(unsigned char byte) {
  return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

static inline block small_letters(block bytes) {
  block capitals = (block)((bytes >= repeated('A')) & (bytes <= repeated('Z')));
  return bytes | (capitals & repeated(0x20));
}

static inline bool begins(
  const unsigned char *bytes, const unsigned char *wanted, size_t count, bool caseless
) {
  if (!caseless) return memcmp(bytes, wanted, count) == 0;
  for (size_t place = 0; place < count; place++)
    if (small_letter(bytes[place]) != wanted[place]) return false;
  return true;
}

__attribute__((always_inline)) static inline bool contains(
  const unsigned char *bytes, size_t count, const unsigned char *wanted, size_t wanted_count,
  bool caseless
) {
  if (wanted_count == 0) return true;
  if (wanted_count > count) return false;
  size_t last = wanted_count - 1, positions = count - last;
  if (positions < block_count) {
    for (size_t position = 0; position < positions; position++)
      if (begins(bytes + position, wanted, wanted_count, caseless)) return true;
    return false;
  }
  block first_wanted = repeated(wanted[0]), last_wanted = repeated(wanted[last]);
  size_t final = positions - block_count;
  for (size_t position = 0;; position += block_count) {
    if (position > final) position = final; // overlaps the block before
    block firsts = load(bytes + position), lasts = load(bytes + position + last);
    if (caseless) {
      firsts = small_letters(firsts);
      lasts = small_letters(lasts);
    }
    block candidates = (block)((firsts == first_wanted) & (lasts == last_wanted));
    if (is_any(candidates)) {
      for (int index = 0; index < block_count; index++)
        if (candidates[index] && begins(bytes + position + index, wanted, wanted_count, caseless))
          return true;
    }
    if (position == final) return false;
  }
}

bool strata_contains(const void *bytes, size_t count, const void *wanted, size_t wanted_count) {
  return contains(bytes, count, wanted, wanted_count, false);
}

bool strata_contains_caseless(
  const void *bytes, size_t count, const void *wanted, size_t wanted_count
) {
  return contains(bytes, count, wanted, wanted_count, true);
}

int strata_compare_caseless(
  const void *left, size_t left_count, const void *right, size_t right_count
) {
  const unsigned char *ours = left, *others = right;
  size_t common = left_count < right_count ? left_count : right_count;
  for (size_t place = 0; place < common; place++) {
    int difference = (int)small_letter(ours[place]) - (int)others[place];
    if (difference != 0) return difference;
  }
  return (left_count > right_count) - (left_count < right_count);
}

bool strata_are_below(const void *bytes, size_t count, unsigned char bound) {
  const unsigned char *place = bytes;
  size_t left = count;
  block above = {0};
  for (; left >= block_count; left -= block_count, place += block_count)
    above |= (block)(load(place) >= repeated(bound));
  if (is_any(above)) return false;
  for (; left > 0; left--, place++)
    if (*place >= bound) return false;
  return true;
}
