// SPDX-License-Identifier: Apache-2.0

/// A sequence of steps of a model, by its seed and the numbers of its steps. Its text is the value
/// of `STRATA_MODEL_REPLAY`: `counts: 42: 0-3 17`.
struct ModelSequence: Equatable, Sendable, CustomStringConvertible {
  let name: String
  let seed: UInt64
  var steps: [Int]

  init(name: String, seed: UInt64, steps: [Int]) {
    (self.name, self.seed, self.steps) = (name, seed, steps)
  }

  var description: String {
    var runs: [ClosedRange<Int>] = []
    for step in steps {
      if let last = runs.last, last.upperBound + 1 == step {
        runs[runs.count - 1] = last.lowerBound...step
      } else {
        runs.append(step...step)
      }
    }
    let texts = runs.map { run in
      run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound)-\(run.upperBound)"
    }
    return "\(name): \(seed): " + texts.joined(separator: " ")
  }

  /// - Returns: nil if the text is no sequence of the test that is called `name`.
  init?(_ text: String, of name: String) {
    let parts = text.split(separator: ":").map { $0.drop { $0 == " " } }
    guard parts.count == 3, parts[0] == name, let seed = UInt64(parts[1]) else { return nil }
    (self.name, self.seed, steps) = (name, seed, [])
    for run in parts[2].split(separator: " ") {
      let ends = run.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, first <= last else { return nil }
      steps += Array(first...last)
    }
  }

  /// The numbers of a step, or of the setup.
  func random(of step: Int?, _ without: Set<Int>) -> ModelRandom {
    var mixer = SeededGenerator(seed: seed)
    let own = mixer.next() &+ UInt64(step.map { $0 + 2 } ?? 1) &* 0xD134_2543_DE82_EF95
    return ModelRandom(seed: own, without: without)
  }

  /// Which of the operations, by their index, the sequence leaves out: none in every other
  /// sequence, and a third of them in the others.
  func without(of count: Int) -> Set<Int> {
    var random = SeededGenerator(seed: ~seed)
    guard count > 2, random.chance(2) else { return [] }
    let without = (0..<count).filter { _ in random.chance(3) }
    return without.count == count ? [] : Set(without)
  }
}
