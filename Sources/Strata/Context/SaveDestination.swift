// SPDX-License-Identifier: Apache-2.0

/// How far a save goes.
public enum SaveDestination: Sendable, Hashable {
  /// One level up: to the parent context, in memory, or, from a topmost context, to the disk.
  case parent
  /// To the disk, together with all unsaved changes of the ancestors: all of it, or nothing.
  case store
}
