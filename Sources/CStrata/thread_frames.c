// SPDX-License-Identifier: Apache-2.0
#include "thread_frames.h"

_Thread_local void *strata_top_frame = 0;
_Thread_local void *strata_waiting_releases = 0;
