// SPDX-License-Identifier: Apache-2.0
#ifndef STRATA_MAPPED_FILE_H
#define STRATA_MAPPED_FILE_H

#include <stdint.h>

/// The inode of the file that is mapped at an address, if its name ends with "-lock". 0 for any
/// other address, and where the system does not tell. It may be called in a handler of a signal.
uint64_t strata_lock_file_mapped_at(uintptr_t place);

#endif
