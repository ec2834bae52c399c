// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Foundation
  import StrataChanges
  import Synchronization

  /// Lets other threads run at pause points, and holds some readers between the layers and the
  /// snapshot of their view until others have saved. Otherwise few saves would fall between them.
  ///
  /// ## Isolation
  /// Sendable.
  final class Disturbance: Sendable {
    private let saves = Atomic(0)
    private let views = Atomic(0)
    private let points = Atomic(0)

    /// One of this many readers is held.
    private static let viewsPerHold = 16
    /// A reader is held until others have saved this often, or it has slept as often.
    private static let savesPerHold = 10
    private static let sleepCountMax = 20
    private static let sleepMicroseconds: UInt32 = 100
    /// A thread gives way to others at one of this many points. On a busy machine, each time costs
    /// it the turns of all processes.
    private static let pointsPerYield = 8

    func reach(_ point: PausePoint) {
      switch point {
      case .pushed, .published: saves.add(1, ordering: .relaxed)
      case .viewTaken:
        let count = views.add(1, ordering: .relaxed).newValue
        if count.isMultiple(of: Self.viewsPerHold) { return hold() }
      default: break
      }
      let count = points.add(1, ordering: .relaxed).newValue
      if count.isMultiple(of: Self.pointsPerYield) { sched_yield() }
    }

    private func hold() {
      let end = saves.load(ordering: .relaxed) + Self.savesPerHold
      for _ in 0..<Self.sleepCountMax where saves.load(ordering: .relaxed) < end {
        usleep(Self.sleepMicroseconds)
      }
    }
  }
#endif
