// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

/// Watches an environment for readers that hold an old state for too long. It looks into the table
/// of readers after commits, and only if a reader can have come to the limits: a reader that was 10
/// commits behind is not looked for again before 990 others.
///
/// ## Isolation
/// Sendable. Commits are noted on the writer thread, ages are asked for on any.
package final class ReaderWatch: Sendable {
  /// How old and how far behind a reader is when it is reported.
  package struct Limits: Sendable {
    package var commitLag = 1_000
    package var age = Duration.seconds(60)
    /// The least time between two looks.
    package var interval = Duration.seconds(1)

    package init() {}
  }

  private struct State {
    var limits = Limits()
    var now: @Sendable () -> Duration = ReaderWatch.uptime
    var times = CommitTimes()
    var holders = SnapshotHolders()
    var lastCommit: UInt64 = 0
    /// The first commit after which a reader may have come to the limits.
    var nextLook: UInt64 = 0
    var nextLookTime = Duration.zero
    /// The reader that was reported last. The oldest state never becomes older, so one is enough.
    var reported: OldestReader?
  }

  private let state = CountedMutex(State())

  private static let start = ContinuousClock.now

  private static func uptime() -> Duration { start.duration(to: .now) }

  /// For tests: looks with other limits, by another clock, as if no commit had been noted.
  package func reset(limits: Limits, clock: @escaping @Sendable () -> Duration) {
    state.withLock { $0 = State(limits: limits, now: clock) }
  }

  // MARK: - Noting

  /// Notes that a commit is there.
  func noteCommit(_ number: UInt64) {
    state.withLock { state in
      state.times.note(number, at: state.now())
      state.lastCommit = max(state.lastCommit, number)
    }
  }

  func noteHolder(_ name: String, of number: UInt64) -> SnapshotHolder {
    let holder = SnapshotHolder(name: name, number: number)
    state.withLock { $0.holders.add(holder) }
    return holder
  }

  // MARK: - Asking

  /// Adds age and holder to a reader of the state of a commit.
  func describe(
    readerOf number: UInt64, in processID: Int32, newest: UInt64
  ) -> OldestReader {
    state.withLock { state in
      // Commits of other processes may be noticed here first.
      let now = state.now()
      state.times.note(newest, at: now)
      return OldestReader(
        processID: processID, commit: number, commitLag: Int(newest - min(number, newest)),
        age: state.times.age(ofCommit: number, at: now),
        holder: processID == getpid() ? state.holders.name(of: number) : nil)
    }
  }

  /// The oldest reader of `environment`, if it is beyond the limits and was not reported before.
  /// Call it after a commit.
  func lateReader(in environment: Environment) -> OldestReader? {
    let isDue = state.withLock { state in
      guard state.lastCommit >= state.nextLook else { return false }
      let now = state.now()
      guard now >= state.nextLookTime else { return false }
      state.nextLookTime = now + state.limits.interval
      return true
    }
    guard isDue else { return nil }
    let oldest = environment.oldestReader
    return state.withLock { state in
      let lag = oldest?.commitLag ?? 0
      state.nextLook = state.lastCommit + UInt64(max(1, state.limits.commitLag - lag))
      guard let oldest, lag >= state.limits.commitLag, oldest.age >= state.limits.age,
        state.reported?.isSameReader(as: oldest) != true
      else { return nil }
      state.reported = oldest
      return oldest
    }
  }
}

extension Environment {
  /// Notes the newest commit.
  func noteCommit() {
    var information = MDB_envinfo()
    mdb_env_info(raw, &information)
    readers.noteCommit(UInt64(information.me_last_txnid))
  }

  /// The oldest reader, if it holds a state that is older than the limits of `readers` and has not
  /// been returned before. Call it after a commit; it hardly costs anything if there is none.
  package var lateReader: OldestReader? { readers.lateReader(in: self) }
}
