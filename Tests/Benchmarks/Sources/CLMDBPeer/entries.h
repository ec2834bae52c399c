// SPDX-License-Identifier: Apache-2.0
//
// Index entries that are gathered for one transaction, and sorted before they are written. An entry
// is a key: the value's bytes as they sort, then the serial in 6 bytes, high byte first.
#ifndef ENTRIES_H
#define ENTRIES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t *bytes, *spare;
  /// Bytes of a value, and of an entry.
  size_t value_size, size;
  size_t count, capacity;
} entries;

static inline void put_serial(uint8_t *to, uint64_t serial) {
  for (int i = 0; i < 6; i++) to[i] = (uint8_t)(serial >> (40 - 8 * i));
}

static inline uint64_t get_serial(const uint8_t *from) {
  uint64_t serial = 0;
  for (int i = 0; i < 6; i++) serial = serial << 8 | from[i];
  return serial;
}

static inline void put_u32(uint8_t *to, uint32_t value) {
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static inline entries entries_make(size_t value_size, size_t capacity) {
  size_t size = value_size + 6;
  return (entries){
      malloc(size * capacity), malloc(size * capacity), value_size, size, 0, capacity};
}

static inline void entries_free(entries *all) { free(all->bytes), free(all->spare); }

/// Room for one more entry; its serial is written, its value is for the caller to write.
static inline uint8_t *entries_add(entries *all, uint64_t serial) {
  uint8_t *entry = all->bytes + all->size * all->count++;
  put_serial(entry + all->value_size, serial);
  return entry;
}

/// Sorts entries that were added in order of serial: byte by byte from the last, keeping the order
/// of equals; a byte that is the same everywhere costs one pass of counting.
static inline void entries_sort(entries *all) {
  if (all->count < 2) return;
  if (all->count < 32) {
    uint8_t moved[64];
    for (size_t i = 1; i < all->count; i++) {
      memcpy(moved, all->bytes + i * all->size, all->size);
      size_t j = i;
      for (; j > 0 && memcmp(all->bytes + (j - 1) * all->size, moved, all->size) > 0; j--)
        memcpy(all->bytes + j * all->size, all->bytes + (j - 1) * all->size, all->size);
      memcpy(all->bytes + j * all->size, moved, all->size);
    }
    return;
  }
  for (size_t byte = all->value_size; byte-- > 0;) {
    size_t place[256] = {0}, next = 0;
    for (size_t i = 0; i < all->count; i++) place[all->bytes[i * all->size + byte]]++;
    if (place[all->bytes[byte]] == all->count) continue;
    for (int b = 0; b < 256; b++) {
      size_t here = place[b];
      place[b] = next;
      next += here;
    }
    for (size_t i = 0; i < all->count; i++) {
      const uint8_t *entry = all->bytes + i * all->size;
      memcpy(all->spare + all->size * place[entry[byte]]++, entry, all->size);
    }
    uint8_t *sorted = all->spare;
    all->spare = all->bytes;
    all->bytes = sorted;
  }
}

#endif
