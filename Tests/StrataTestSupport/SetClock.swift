// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A clock that shows the time to which a test has set it.
public final class SetClock: Sendable {
  private let seconds = Atomic(0)

  public init() {}

  public func set(_ seconds: Int) { self.seconds.store(seconds, ordering: .relaxed) }

  public var now: Duration { .seconds(seconds.load(ordering: .relaxed)) }
}
