// SPDX-License-Identifier: Apache-2.0
import Foundation

/// One piece of work, which each peer does in its own way.
///
/// The names are the same as in the table of targets in Docs/Benchmarks.md.
struct Workload: Sendable {
  /// The data before the work begins.
  enum Stage: CaseIterable {
    /// A store of all persons, inserted in one save. Work on it keeps to the order of
    /// `Workload.all`.
    case bulk
    /// The same, inserted in saves of 1,000.
    case batched
    /// An empty store for each workload and peer.
    case empty
    /// Whatever the work makes itself; it is Strata's alone.
    case strataAlone
  }

  /// The clock by which a figure is compared: with its target, and with other peers.
  enum Clock {
    /// All threads of the process, so that other work on the machine matters less.
    case cpu
    /// For work that waits: for the disk, or for other threads.
    case wall
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
    /// The only figure that callgrind counts; all, if nil.
    let counted: String?
    /// The peers that do it.
    let peer: PeerKind
    let folder: Folder
    /// The data that Strata's own workloads read.
    let reference: ReferenceStore

    /// The file of the peer's store.
    var file: URL { folder.file("people") }
  }

  let name: String
  let work: String
  /// The meaning of an operation.
  let unit: String
  let stage: Stage
  /// By name of figure.
  let targets: [String: Target]
  /// The figures that are compared by wall time; the others are by CPU time.
  let waiting: Set<String>
  /// The figure of raw LMDB that ratios are to; its own, if nil.
  let limit: String?
  /// Whether it is the insertion that makes its stage.
  let makesStage: Bool
  let run: @Sendable (any Peer, Setting) throws -> [Figure]

  func clock(of figure: String) -> Clock { waiting.contains(figure) ? .wall : .cpu }

  /// A workload with several figures.
  init(
    _ name: String, _ work: String, per unit: String, on stage: Stage,
    targets: [String: Target] = [:], waiting: Set<String> = [], limit: String? = nil,
    makesStage: Bool = false, run: @escaping @Sendable (any Peer, Setting) throws -> [Figure]
  ) {
    self.name = name
    self.work = work
    self.unit = unit
    self.stage = stage
    self.targets = targets
    self.waiting = waiting
    self.limit = limit
    self.makesStage = makesStage
    self.run = run
  }

  /// A workload with one figure.
  init(
    _ name: String, _ work: String, per unit: String, on stage: Stage, target: Target? = nil,
    waits: Bool = false, limit: String? = nil, makesStage: Bool = false,
    run: @escaping @Sendable (any Peer, Setting) throws -> Figure
  ) {
    self.init(
      name, work, per: unit, on: stage, targets: target.map { [name: $0] } ?? [:],
      waiting: waits ? [name] : [], limit: limit, makesStage: makesStage
    ) { [try run($0, $1)] }
  }

  /// A workload that no other than Strata can do.
  init(
    _ name: String, _ work: String, per unit: String, targets: [String: Target] = [:],
    waiting: Set<String> = [], run: @escaping @Sendable (Setting) throws -> [Figure]
  ) {
    self.init(name, work, per: unit, on: .strataAlone, targets: targets, waiting: waiting) {
      try run($1)
    }
  }

  /// All of them, in the order in which they are run.
  static let all: [Workload] = [
    .w1, .size, .w12, .w4, .w4h, .w5, .w5s, .w6, .w6i, .w7a, .w7b, .w10, .allMembers,
    .q1, .q3, .q4, .q5, .q6, .readers, .s2, .w8, .w8i, .w9,
    .w2, .w3, .w3g, .w11, .w9b,
    .w9Most, .members, .file, .massChange,
    .w13, .w14, .w15, .w16, .w17, .q1Scan, .s1, .stream, .debug,
  ]
}

extension Workload {
  /// The workload of a figure: the one of its name, or the one of the name before a slash.
  static func of(figure: String) -> Workload? {
    all.first { $0.name == figure }
      ?? all.first { figure.hasPrefix($0.name + "/") }
  }

  /// The clock by which a figure is compared.
  static func clock(of figure: String) -> Clock { of(figure: figure)?.clock(of: figure) ?? .cpu }
}
