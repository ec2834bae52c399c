// SPDX-License-Identifier: Apache-2.0
//
// What Soak asks of callgrind and of malloc, which only C can say.
#ifndef STRATA_SOAK_C_H
#define STRATA_SOAK_C_H

#include <stdbool.h>
#include <stdint.h>

/// Whether callgrind can count: the program runs under valgrind, and was built where valgrind's
/// header is.
bool strata_soak_can_count(void);

/// Has callgrind count the instructions of all threads from now on.
void strata_soak_begin_counting(void);

/// Ends the counting. Callgrind writes the sum into its next file, whose name ends with a number
/// from 1 on.
void strata_soak_end_counting(void);

/// The bytes that malloc has given out and not got back, in all of its arenas; 0 where it does not
/// say.
int64_t strata_soak_live_byte_count(void);

#endif
