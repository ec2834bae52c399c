// SPDX-License-Identifier: Apache-2.0

/// The random numbers of one step of a model, and the step's description of itself.
public struct ModelRandom: RandomNumberGenerator, Sendable {
  private var generator: SeededGenerator
  /// The operations that this sequence leaves out, by their index.
  private let without: Set<Int>
  /// The work of the step, for the reader of a failure.
  public private(set) var notes: [String] = []
  /// How often the step has met with something, by its name.
  public private(set) var counts: [String: Int] = [:]

  public init(seed: UInt64, without: Set<Int> = []) {
    generator = SeededGenerator(seed: seed)
    self.without = without
  }

  public mutating func next() -> UInt64 { generator.next() }

  /// A generator with a seed drawn from this one, for code that takes a `SeededGenerator`.
  public mutating func seeded() -> SeededGenerator { SeededGenerator(seed: next()) }

  /// Adds a line to the printed failure of the sequence.
  public mutating func note(_ text: String) { notes.append(text) }

  /// Counts that something was met with: `ModelTest.meets` says how often it must be.
  public mutating func count(_ name: String) { counts[name, default: 0] += 1 }

  mutating func draw<M>(from operations: [ModelOperation<M>]) -> ModelOperation<M>? {
    let kept = operations.indices.filter { !without.contains($0) }
    var rest = below(max(1, kept.reduce(0) { $0 + operations[$1].weight }))
    for index in kept {
      rest -= operations[index].weight
      if rest < 0 { return operations[index] }
    }
    return nil
  }
}

extension RandomNumberGenerator {
  /// A number from 0 up to, and without, `end`.
  public mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &self) }

  /// True one time in `count`.
  public mutating func chance(_ count: Int) -> Bool { below(count) == 0 }

  /// One of them; nil if they are empty.
  public mutating func pick<C: Collection>(_ elements: C) -> C.Element? {
    elements.randomElement(using: &self)
  }
}
