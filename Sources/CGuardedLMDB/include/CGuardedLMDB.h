// SPDX-License-Identifier: Apache-2.0
#include "guarded_calls.h"
#include "map_guard.h"
