// SPDX-License-Identifier: Apache-2.0
#ifndef CSTRATA_H
#define CSTRATA_H

#include "thread_frames.h"
#include "thread_number.h"
#include "checksum.h"
#include "prefetch.h"
#include "find.h"
#include "entry_digest.h"
#include "file_note.h"
#include "unnamed_file.h"
#include "file_space.h"

#endif
