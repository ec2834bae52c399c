// SPDX-License-Identifier: Apache-2.0

/// How far a save goes.
public enum SaveDestination: Sendable, Hashable {
  /// One level up: to the parent context, in memory, or, from a topmost context, to the disk.
  case parent
  /// Through all ancestors to the disk. Each of them in order is entered and saves all of its
  /// changes, not only those from below.
  case store
}
