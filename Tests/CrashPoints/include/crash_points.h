// SPDX-License-Identifier: Apache-2.0

#ifndef CRASH_POINTS_H
#define CRASH_POINTS_H

/// The calls of a class are counted by themselves.
enum crash_points_class {
  CRASH_POINTS_CHANGE,
  CRASH_POINTS_OPEN,
  CRASH_POINTS_READ,
  CRASH_POINTS_CLASS_COUNT,
};

enum crash_points_kind {
  /// Nothing; the calls are counted.
  CRASH_POINTS_NONE,
  /// The process is killed before the call.
  CRASH_POINTS_KILL,
  /// The process is killed after half of the pages that the call writes; before another call.
  CRASH_POINTS_TEAR,
  /// The process stops before the call, until it is continued (SIGCONT).
  CRASH_POINTS_STOP,
  /// The call writes half of its bytes, and says so.
  CRASH_POINTS_SHORTEN,
  /// The call fails.
  CRASH_POINTS_REFUSE_ONCE,
  /// The call and all later ones of the class fail.
  CRASH_POINTS_REFUSE,
};

/// An event at one of the calls of a class.
struct crash_points_event {
  enum crash_points_kind kind;
  enum crash_points_class call_class;
  /// The number of the call: 1 is the first one after `crash_points_begin`.
  long call;
  /// The errno of a refused call. With ENOSPC and EFBIG, calls that need no room proceed.
  int error;
};

/// Counts the calls of this process, from now on, and lets an event happen.
void crash_points_begin(struct crash_points_event event);

/// Stops counting. Nothing happens at later calls.
void crash_points_end(void);

/// The number of calls between `crash_points_begin` and `crash_points_end`.
long crash_points_count(enum crash_points_class call_class);

/// Writes each change that the process makes to a file, from now on, to an open file
/// (`crash_record.h`).
///
/// - Parameter file: a descriptor; -1 ends the recording.
void crash_points_record(int file);

/// Records that the process was told that an operation has ended.
void crash_points_acknowledge(void);

#endif
