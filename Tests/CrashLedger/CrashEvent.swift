// SPDX-License-Identifier: Apache-2.0

/// An event at one of the calls by which a process uses files (`crash_points_event`).
public enum CrashEvent: String, CaseIterable, Sendable {
  case none
  /// The process is killed before the call, or in the middle of it.
  case kill, tear
  /// The process stops before a call that changes a file, or that reads one.
  case stop, stopToRead
  /// The disk is full, for one call or from then on.
  case fillOnce, fill
  /// The file may not become larger.
  case limit
  /// The call writes half of its bytes.
  case shorten
  /// The disk refuses the call, or this and all later ones.
  case failOnce, fail
  /// The process has too many open files, for one call or from then on.
  case crowdOnce, crowd
  /// The disk refuses to read, once or from then on.
  case failToReadOnce, failToRead

  /// The class of the calls at which it happens.
  public var calls: CallClass {
    switch self {
    case .none, .kill, .tear, .stop, .fillOnce, .fill, .limit, .shorten, .failOnce, .fail: .change
    case .crowdOnce, .crowd: .open
    case .stopToRead, .failToReadOnce, .failToRead: .read
    }
  }

  /// The calls of a class are numbered by themselves.
  public enum CallClass: Int, CaseIterable, Sendable {
    case change, open, read
  }
}
