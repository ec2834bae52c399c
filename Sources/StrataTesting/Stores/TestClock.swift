// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataPrimitives
import StrataRecord

/// A clock that stands still until a test moves it. A `TestStore` takes all dates that Strata
/// itself writes from its clock: the dates of the history's transactions, and of attributes that
/// are derived from now.
///
/// Dates that the program's own code makes, in `awakeFromInsert` for example, are the program's. It
/// can read this clock too, if a test hands it over in `context.userInfo`.
///
/// ## Isolation
/// Sendable: each call is from any thread.
public final class TestClock: Sendable {
  private let date: CountedMutex<Date>

  /// - Parameter date: the date that the clock shows; by default 2001-01-01, 00:00 UTC.
  public init(_ date: Date = Date(timeIntervalSinceReferenceDate: 0)) {
    self.date = CountedMutex(date)
  }

  /// The date that the clock shows.
  public var now: Date { date.withLock { $0 } }

  /// Moves the clock by a duration, which may be negative.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    date.withLock { $0 += TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18 }
  }
}
