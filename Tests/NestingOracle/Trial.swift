// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport

/// A sequence of operations with its setup, as it is drawn, printed, replayed and shrunk.
package struct Trial: Sendable, CustomStringConvertible {
  package var setup: Setup
  package var operations: [Operation]

  package init(setup: Setup, operations: [Operation]) {
    (self.setup, self.operations) = (setup, operations)
  }

  package var description: String {
    ([setup.description] + operations.map(\.description)).joined(separator: "; ")
  }

  /// The mistake in a text that should be a sequence.
  package struct Unreadable: Error, CustomStringConvertible {
    package let description: String
  }

  /// Reads a sequence as it is printed: parts divided by `;` or by lines, the setup first if there
  /// is one.
  package init(_ text: String) throws {
    let parts = text.split { $0 == ";" || $0.isNewline }
      .map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
    setup = Setup()
    operations = []
    for (index, part) in parts.enumerated() {
      if let operation = Operation(part) {
        operations.append(operation)
      } else if index == 0, let setup = Setup(part) {
        self.setup = setup
      } else {
        throw Unreadable(description: "'\(part)' is no operation")
      }
    }
  }

  // MARK: - Running it

  /// A step after which something was not as promised.
  package struct Failure: Error, Sendable {
    package var trial: Trial
    package var complaint: String
  }

  /// - Returns: the first thing that is not as promised, with the steps up to there.
  package func run(with fault: Fault? = nil) -> Failure? {
    do {
      let world = try World(setup, on: Stage(isShared: setup.isShared, fault: fault))
      defer { world.close() }
      var start = 0
      while start < operations.count {
        let first = operations[start]
        let end =
          operations[(start + 1)...].firstIndex { !$0.joins(first) } ?? operations.count
        if let complaint = world.perform(Array(operations[start..<end])) {
          return Failure(
            trial: Trial(setup: setup, operations: Array(operations[..<end])),
            complaint: complaint)
        }
        start = end
      }
      return nil
    } catch {
      return Failure(trial: self, complaint: "the world throws \(error)")
    }
  }

  /// Draws a sequence by its seed while it runs.
  package static func run(
    seed: UInt64, stepCount: Int, without: Set<Group>, on stages: Stages
  ) -> (failure: Failure?, stepCount: Int) {
    var draw = Draw(seed: seed, without: without)
    var trial = Trial(setup: draw.setup, operations: [])
    do {
      let world = try World(draw.setup, on: stages.stage(isShared: draw.setup.isShared))
      defer { world.close() }
      while trial.operations.count < stepCount {
        guard let turn = draw.next(world.oracle) else { break }
        trial.operations += turn
        if let complaint = world.perform(turn) {
          return (Failure(trial: trial, complaint: complaint), trial.operations.count)
        }
      }
      return (nil, trial.operations.count)
    } catch {
      return (Failure(trial: trial, complaint: "the world throws \(error)"), 0)
    }
  }
}

extension Trial.Failure {
  /// The shortest sequence with a failure that is found by leaving out one step after the other,
  /// and by making the setup simpler.
  ///
  /// - Parameter limit: how often a sequence is tried at most.
  package func shrunk(with fault: Fault? = nil, limit: Int) -> Trial.Failure {
    var best = self
    var shrinker = Shrinker(trial, limit: limit, simpler: \.simpler)
    while let trial = shrinker.next() {
      guard let found = trial.run(with: fault) else { continue }
      best = found
      shrinker.keep(found.trial)
    }
    return best
  }
}

extension Trial {
  /// With some steps less, with one step in a turn of its own, or with one thing of the setup less.
  fileprivate var simpler: [Trial] {
    let shorter = Shrinker<[Operation]>.leavingOut(operations)
    let parted = operations.indices.filter { operations[$0].isJoined }.map { index in
      var operations = operations
      operations[index].isJoined = false
      return operations
    }
    return (shorter + parted).map { Trial(setup: setup, operations: $0) }
      + setup.simpler.map { Trial(setup: $0, operations: operations) }
  }
}

extension Setup {
  /// With one thing less than this.
  fileprivate var simpler: [Setup] {
    var result: [Setup] = []
    func add(_ change: (inout Setup) -> Void) {
      var setup = self
      change(&setup)
      if setup != self { result.append(setup) }
    }
    for place in Place.allCases {
      add { $0.automatic.remove(place) }
      add { $0.homes[place] = nil }
      add { $0.undoable.remove(place) }
    }
    add { $0.policy = .error }
    add { $0.looksAtAll = true }
    add { $0.isShared = false }
    return result
  }
}
