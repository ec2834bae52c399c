// SPDX-License-Identifier: Apache-2.0
//
// The digest of one entry of a tree. The digest of a file's content is the sum of the digests of
// all its entries, modulo 2^64. A writer adds the digest of a new entry and subtracts the digest of
// a former one. Part of the file format (Docs/FileFormat.md).
#ifndef STRATA_ENTRY_DIGEST_H
#define STRATA_ENTRY_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/// \param seed of the tree, so that an entry in another tree has another digest.
uint64_t strata_entry_digest(
  const void *_Nullable key, size_t key_count, const void *_Nullable value, size_t value_count,
  uint64_t seed);

#endif
