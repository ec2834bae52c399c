// SPDX-License-Identifier: Apache-2.0

/// One piece of work, which each peer does in its own way.
///
/// The names are those of the table of targets in Docs/Benchmarks.md.
struct Workload: Sendable {
  /// The data before the work begins.
  enum Stage: CaseIterable {
    /// A store of all persons, inserted in one save. Work on it keeps to the order of
    /// `Workload.all`.
    case bulk
    /// The same, inserted in saves of 1,000.
    case batched
    /// Whatever the work makes itself; it is Strata's alone, since no other has nested contexts.
    case strataAlone
  }

  /// The target of Strata.
  enum Target {
    /// A multiple of the time of raw LMDB's figure for the same work, or for the work of another
    /// name.
    case timesLMDB(Double)
    /// A multiple of the time of another figure of Strata's own.
    case times(Double, of: String)
    case nanoseconds(Double)
    case bytes(Double)
  }

  /// The environment of a workload.
  struct Setting {
    let people: People
    /// The persons that single saves insert; above `people.scale`.
    let extraSerials: ClosedRange<Int>
    /// Which round it is, from 1.
    let round: Int
    /// Whether the figures count; not if the work only prepares others.
    var isRecorded = true
    let folder: Folder
    /// The data that Strata's own workloads read.
    let reference: ReferenceStore
  }

  let name: String
  let work: String
  /// The meaning of an operation.
  let unit: String
  let stage: Stage
  /// By name of figure.
  let targets: [String: Target]
  /// The figure of raw LMDB that ratios are to; its own, if nil.
  let limit: String?
  /// Whether it is the insertion that makes its stage.
  let makesStage: Bool
  let run: @Sendable (any Peer, Setting) throws -> [Figure]

  /// A workload that every peer does.
  init(
    _ name: String, _ work: String, per unit: String, on stage: Stage, target: Target,
    limit: String? = nil, makesStage: Bool = false,
    run: @escaping @Sendable (any Peer, Setting) throws -> Figure
  ) {
    self.name = name
    self.work = work
    self.unit = unit
    self.stage = stage
    targets = [name: target]
    self.limit = limit
    self.makesStage = makesStage
    self.run = { [try run($0, $1)] }
  }

  /// A workload that no other than Strata can do.
  init(
    _ name: String, _ work: String, per unit: String, targets: [String: Target],
    run: @escaping @Sendable (Setting) throws -> [Figure]
  ) {
    self.name = name
    self.work = work
    self.unit = unit
    stage = .strataAlone
    self.targets = targets
    limit = nil
    makesStage = false
    self.run = { try run($1) }
  }

  /// All of them, in the order in which they are run.
  static let all: [Workload] = [
    .w1, .size, .w12, .w4, .w4h, .w5, .w5s, .w6, .w6i, .w7a, .w7b, .w10, .w8, .w8i, .w9,
    .w2, .w3, .w3g, .w11, .w9b,
    .w13, .w14, .w15, .w16, .w17, .q1, .q2, .q3,
  ]
}
