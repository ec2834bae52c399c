// SPDX-License-Identifier: Apache-2.0
//
// The first records in an order that no index has: a heap whose root is the last of them, so that a
// record that comes later is rejected with one comparison.
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  /// The value as two numbers that compare as it does.
  uint64_t high, low, serial;
  const uint8_t *record;
  size_t size;
} candidate;

static inline bool is_before(const candidate *a, const candidate *b) {
  if (a->high != b->high) return a->high < b->high;
  if (a->low != b->low) return a->low < b->low;
  return a->serial < b->serial;
}

/// Puts `added` in its place below the root.
static inline void sift(candidate *heap, size_t count, candidate added) {
  size_t i = 0;
  for (size_t child = 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && is_before(&heap[child], &heap[child + 1])) child++;
    if (!is_before(&added, &heap[child])) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = added;
}

/// Adds `found` to the heap if it is among the first `limit`.
static inline void offer(candidate *heap, size_t *held, size_t limit, candidate found) {
  if (*held < limit) {
    size_t place = (*held)++;
    for (; place > 0 && is_before(&heap[(place - 1) / 2], &found); place = (place - 1) / 2)
      heap[place] = heap[(place - 1) / 2];
    heap[place] = found;
  } else if (is_before(&found, &heap[0])) {
    sift(heap, limit, found);
  }
}

static inline int compare_candidates(const void *a, const void *b) {
  return is_before((const candidate *)a, (const candidate *)b) ? -1 : 1;
}

static inline void sort_candidates(candidate *heap, size_t held) {
  qsort(heap, held, sizeof *heap, compare_candidates);
}

#endif
