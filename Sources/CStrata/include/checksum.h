// SPDX-License-Identifier: Apache-2.0
//
// The checksum of a record, 32 bits, and the digest of large Data, 64 bits. A flipped bit, a torn
// sector or a misplaced page changes them. Part of the file format (Docs/FileFormat.md): the same
// bytes give the same checksum on every machine, so words are read little-endian. It guards against
// accidents, not against an attacker.
#ifndef STRATA_CHECKSUM_H
#define STRATA_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Checksum of `count` bytes at `bytes` (which may be null when `count` is 0), mixed with `seed`
/// (the record's key, so that a record under another's key does not pass).
uint32_t strata_checksum(const void *_Nullable bytes, size_t count, uint64_t seed);

/// Digest of `count` bytes at `bytes`, the same mixture in 64 bits and without a seed, for an
/// external attribute's bytes of any object.
uint64_t strata_digest(const void *_Nullable bytes, size_t count);

#endif
