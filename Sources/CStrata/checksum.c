// SPDX-License-Identifier: Apache-2.0
//
// Two lanes of 64x64 to 128-bit multiplication, folded: 32 bytes a step. Multiplication spreads
// each input bit over the product; folding its halves together keeps the overflow.
#include "checksum.h"
#include "entry_digest.h"
#include <string.h>

static const uint64_t k0 = 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
static const uint64_t k1 = 0xD6E8FEB86659FD93u;  // odd, about half of its bits set
static const uint64_t k2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t k3 = 0xA0761D6478BD642Fu;

static inline uint64_t word(const unsigned char *p) {
  uint64_t w;
  memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  w = __builtin_bswap64(w);
#endif
  return w;
}

static inline uint64_t fold(uint64_t a, uint64_t b) {
  __uint128_t product = (__uint128_t)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// The first eight of `left` bytes, zeros behind the last. They are never copied piece by piece to
// be read as a word: the processor would wait for the pieces. `before` bytes precede them.
static inline uint64_t word_or_less(const unsigned char *p, size_t left, size_t before) {
  if (left >= 8) return word(p);
  if (left == 0) return 0;
  if (before + left >= 8) return word(p + left - 8) >> (64 - 8 * left);
  uint64_t bits = 0;
  for (size_t place = 0; place < left; place++) bits |= (uint64_t)p[place] << (8 * place);
  return bits;
}

static inline size_t without(size_t left, size_t taken) { return left > taken ? left - taken : 0; }

static uint64_t mix(const void *bytes, size_t count, uint64_t seed) {
  const unsigned char *p = bytes;
  uint64_t a = seed ^ k0, b = (uint64_t)count ^ k1;
  size_t left = count;
  for (; left >= 32; left -= 32, p += 32) {
    a = fold(word(p) ^ k2, word(p + 8) ^ a) + k0;
    b = fold(word(p + 16) ^ k3, word(p + 24) ^ b) + k1;
  }
  size_t before = count - left;
  a = fold(
    word_or_less(p, left, before) ^ k2,
    word_or_less(p + 8, without(left, 8), before + 8) ^ a) + k0;
  b = fold(
    word_or_less(p + 16, without(left, 16), before + 16) ^ k3,
    word_or_less(p + 24, without(left, 24), before + 24) ^ b) + k1;
  return fold(a ^ k1, b ^ k0);
}

uint32_t strata_checksum(const void *bytes, size_t count, uint64_t seed) {
  uint64_t mixed = mix(bytes, count, seed);
  return (uint32_t)(mixed ^ (mixed >> 32));
}

uint64_t strata_digest(const void *bytes, size_t count) { return mix(bytes, count, 0); }

uint64_t strata_entry_digest(
  const void *key, size_t key_count, const void *value, size_t value_count, uint64_t seed) {
  return mix(value, value_count, mix(key, key_count, seed));
}
