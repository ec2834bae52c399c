// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs a model through random sequences of steps, one seed after the other, and shrinks the first
/// that fails.
///
/// Half of the sequences draw from all operations of the model. The others leave some out, which
/// brings them to places that the rest of the operations would lead away from. If the sequences
/// have not met with all events that they should, more follow: ten times as many at most.
///
/// | variable | |
/// | --- | --- |
/// | `STRATA_MODEL_SEED` | the first seed |
/// | `STRATA_MODEL_SEQUENCES` | how many sequences, in place of the test's own number |
/// | `STRATA_MODEL_SHRINKING` | tries to shorten a failing sequence, 500 by default |
/// | `STRATA_MODEL_REPLAY` | one sequence as a failure prints it: other sequences are not run |
public struct ModelTest<M: Model>: Sendable {
  public let name: String
  public let sequenceCount: Int
  public let stepCount: Int
  /// The minimum counts of events, in all sequences together: `ModelRandom.count`.
  public let meets: [String: Int]
  /// How many sequences run at the same time.
  public let width: Int
  private let first: UInt64
  private let environment: [String: String]
  private let make: @Sendable (ModelRandom) throws -> M

  /// - Parameters:
  ///   - name: the name of the test in a failure. No two tests have the same.
  ///   - first: the first seed; `STRATA_MODEL_SEED` by default.
  ///   - environment: the variables; those of the process by default.
  ///   - make: makes a model, with the numbers of its setup.
  public init(
    _ name: String, sequences sequenceCount: Int, steps stepCount: Int,
    meets: [String: Int] = [:], width: Int = 1, first: UInt64 = SeededGenerator.firstSeed(),
    environment: [String: String]? = nil,
    make: @escaping @Sendable (ModelRandom) throws -> M
  ) {
    self.name = name
    let environment = environment ?? ProcessInfo.processInfo.environment
    self.sequenceCount =
      environment["STRATA_MODEL_SEQUENCES"].flatMap(Int.init) ?? sequenceCount
    self.stepCount = stepCount
    // A few sequences need not meet with all.
    self.meets = self.sequenceCount < sequenceCount ? [:] : meets
    self.width = width
    self.first = first
    self.environment = environment
    self.make = make
  }

  /// - Parameter isShrunk: whether the sequence is brought to its shortest form.
  /// - Returns: the failure; nil if there is none.
  public func firstFailure(isShrunk: Bool = true) async -> ModelFailure? {
    if let replay = environment["STRATA_MODEL_REPLAY"] {
      guard let sequence = ModelSequence(replay, of: name) else { return nil }
      return await run(sequence).failure
    }
    var all = Share()
    for round in 0..<Self.roundCountMax {
      let count = UInt64(sequenceCount)
      let seeds = SeedRun(first: first &+ UInt64(round) &* count, count: count)
      await withTaskGroup(of: Share.self) { group in
        for _ in 0..<width { group.addTask { await self.work(seeds, isShrunk: isShrunk) } }
        for await share in group { all.add(share) }
      }
      if all.failure != nil || complaint(of: all.counts) == nil { break }
    }
    return all.failure ?? complaint(of: all.counts)
  }

  /// How often the sequences are followed by as many others, until all events were met with.
  private static var roundCountMax: Int { 10 }

  /// The results of one of the threads that run sequences at the same time.
  private struct Share: Sendable {
    var failure: ModelFailure?
    var counts: [String: Int] = [:]

    mutating func add(_ other: Share) {
      failure = failure ?? other.failure
      counts.merge(other.counts, uniquingKeysWith: +)
    }
  }

  private func work(_ seeds: SeedRun, isShrunk: Bool) async -> Share {
    var share = Share()
    while let seed = seeds.next() {
      // Other tests share the few threads of the pool.
      await Task.yield()
      let sequence = ModelSequence(name: name, seed: seed, steps: Array(0..<stepCount))
      let (failed, failure, counts) = await run(sequence)
      share.counts.merge(counts, uniquingKeysWith: +)
      if let failed, let failure, seeds.fail() {
        share.failure = isShrunk ? await shrink(failed, failure) : failure
      }
    }
    return share
  }

  /// The events that were too rare.
  private func complaint(of counts: [String: Int]) -> ModelFailure? {
    let missing = meets.filter { counts[$0.key, default: 0] < $0.value }
      .map { "\($0.key) \(counts[$0.key, default: 0]) times, not \($0.value)" }.sorted()
    guard !missing.isEmpty else { return nil }
    return ModelFailure(
      name: name, seed: first, stepCount: stepCount * sequenceCount * Self.roundCountMax,
      complaint: "met with " + missing.joined(separator: ", "),
      replay: "STRATA_MODEL_SEED=\(first)")
  }

  private func shrink(_ sequence: ModelSequence, _ failure: ModelFailure) async -> ModelFailure {
    var failure = failure
    let limit = environment["STRATA_MODEL_SHRINKING"].flatMap(Int.init) ?? 500
    var shrinker = Shrinker(sequence.steps, limit: limit, simpler: Shrinker<[Int]>.leavingOut)
    while let steps = shrinker.next() {
      let shorter = ModelSequence(name: name, seed: sequence.seed, steps: steps)
      if case (let failed?, let found?, _) = await run(shorter) {
        shrinker.keep(failed.steps)
        failure = found
      }
    }
    return failure
  }

  // MARK: - One sequence

  private typealias Outcome = (
    failed: ModelSequence?, failure: ModelFailure?, counts: [String: Int]
  )

  /// Takes the steps, up to the first after which something is wrong.
  private func run(_ sequence: ModelSequence) async -> Outcome {
    let without = sequence.without(of: M.operations.count)
    var (trace, counts) = ([String](), [String: Int]())
    var done = sequence
    done.steps = []
    func outcome(_ error: any Error, _ notes: [String]) -> Outcome {
      let failure = ModelFailure(
        name: name, seed: done.seed, stepCount: done.steps.count, complaint: "\(error)",
        trace: trace + notes, replay: "STRATA_MODEL_REPLAY=\"\(done)\"")
      return (done, failure, counts)
    }
    var model: M
    do { model = try make(sequence.random(of: nil, without)) } catch {
      return outcome(error, ["in the setup"])
    }
    trace += model.random.notes
    for step in sequence.steps {
      model.random = sequence.random(of: step, without)
      done.steps.append(step)
      do {
        try model.step()
        try model.check()
      } catch { return outcome(error, model.random.notes) }
      trace += model.random.notes
      counts.merge(model.random.counts, uniquingKeysWith: +)
    }
    model.random = sequence.random(of: stepCount, without)
    do { try await model.finish() } catch { return outcome(error, ["at the end"]) }
    counts.merge(model.random.counts, uniquingKeysWith: +)
    return (nil, nil, counts)
  }
}
