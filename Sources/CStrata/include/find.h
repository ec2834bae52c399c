// SPDX-License-Identifier: Apache-2.0
//
// Looking for a short text in the bytes of another one, for scans that test each record. The texts
// are short, so nothing is prepared for a search: memmem's table alone would take longer.
#ifndef STRATA_FIND_H
#define STRATA_FIND_H

#include <stdbool.h>
#include <stddef.h>

/// Whether the `wanted_count` bytes at `wanted` occur in the `count` bytes at `bytes`. Nothing,
/// which may be null, occurs everywhere.
bool strata_contains(
  const void *_Nullable bytes, size_t count, const void *_Nullable wanted, size_t wanted_count);

/// Whether the bytes occur if each ASCII capital letter among `bytes` is read as its small letter.
/// `wanted` has no capital letter.
bool strata_contains_caseless(
  const void *_Nullable bytes, size_t count, const void *_Nullable wanted, size_t wanted_count);

/// The order of `left` and `right` as bytes, if each ASCII capital letter of `left` is read as its
/// small letter: negative, 0 or positive.
int strata_compare_caseless(
  const void *_Nullable left, size_t left_count, const void *_Nullable right, size_t right_count);

/// Whether each byte is below `bound`: 0x80 for ASCII.
bool strata_are_below(const void *_Nullable bytes, size_t count, unsigned char bound);

#endif
