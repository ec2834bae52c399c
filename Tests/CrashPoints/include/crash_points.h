// SPDX-License-Identifier: Apache-2.0

#ifndef CRASH_POINTS_H
#define CRASH_POINTS_H

/// An event at one of the calls by which a process changes files.
enum crash_points_event {
  /// Nothing; the calls are counted.
  CRASH_POINTS_NONE,
  /// The process is killed before the call.
  CRASH_POINTS_KILL,
  /// The process is killed after half of the pages that the call writes; before another call.
  CRASH_POINTS_TEAR,
  /// The disk is full: the call and all later ones that need room fail with ENOSPC.
  CRASH_POINTS_FILL,
};

/// Counts the calls of this process that change files, from now on: 1 is the next one.
///
/// - Parameters:
///   - call: the number of the call at which `event` happens.
void crash_points_begin(enum crash_points_event event, long call);

/// Stops counting. Nothing happens at later calls.
///
/// - Returns: the number of calls since `crash_points_begin`.
long crash_points_end(void);

#endif
