// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs workloads in rounds. In each round every peer does a workload before any does the next, in
/// another order each time, so that a disturbance of the machine affects all; ratios are taken
/// within a round.
struct Runner {
  let people: People
  let extraSerials: ClosedRange<Int>
  let peers: [PeerKind]
  let workloads: [Workload]
  let rounds: Int
  /// The only figure that callgrind counts; all, if nil.
  let counted: String?
  let parent: URL

  /// Runs everything.
  func run() throws -> Results {
    var results = Results()
    let folder = try Folder(in: parent)
    let reference = ReferenceStore(people, in: folder)
    for round in 1...rounds {
      for stage in Workload.Stage.allCases {
        let due = workloads.filter { $0.stage == stage }
        guard !due.isEmpty else { continue }
        let place = Place(round: round, folder: folder, reference: reference)
        switch stage {
        case .bulk, .batched: try runTogether(due, on: stage, place, into: &results)
        case .empty: try runApart(due, place, into: &results)
        case .strataAlone: try runStrataAlone(due, place, into: &results)
        }
      }
    }
    return results
  }

  /// One round, and where its stores are.
  private struct Place {
    let round: Int
    let folder: Folder
    let reference: ReferenceStore
  }

  /// One round of the workloads that use one store of each peer after each other.
  private func runTogether(
    _ due: [Workload], on stage: Workload.Stage, _ place: Place, into results: inout Results
  ) throws {
    var due = due
    let making = Workload.all.first { $0.stage == stage && $0.makesStage }!
    let isMeasured = due.contains { $0.name == making.name }
    if !isMeasured { due.insert(making, at: 0) }
    var settings: [PeerKind: Workload.Setting] = [:]
    var running: [PeerKind: any Peer] = [:]
    for kind in peers {
      let setting = try setting(kind, place)
      running[kind] = try opened(kind, people, setting)
      settings[kind] = setting
    }
    for (index, workload) in due.enumerated() {
      for kind in rotated(by: place.round + index) {
        guard let peer = running[kind], var setting = settings[kind] else { continue }
        setting.isRecorded = isMeasured || workload.name != making.name
        try record(workload, peer, setting, in: &results)
      }
    }
    for peer in running.values { try peer.close() }
  }

  /// One round of the workloads that begin with an empty store each.
  private func runApart(
    _ due: [Workload], _ place: Place, into results: inout Results
  ) throws {
    for (index, workload) in due.enumerated() {
      for kind in rotated(by: place.round + index) {
        let setting = try setting(kind, place)
        guard let type = kind.type else { continue }
        // The work opens the store itself, with the data that it wants.
        try record(workload, type.init(people, at: setting.file), setting, in: &results)
      }
    }
  }

  private func runStrataAlone(
    _ due: [Workload], _ place: Place, into results: inout Results
  ) throws {
    guard peers.contains(.strata) else { return }
    for workload in due {
      let setting = try setting(.strata, place)
      // Such work uses no peer; it makes contexts of its own.
      try record(workload, StrataPeer(people, at: setting.file), setting, in: &results)
    }
  }

  private func opened(
    _ kind: PeerKind, _ people: People, _ setting: Workload.Setting
  ) throws -> (any Peer)? {
    let peer = kind.type?.init(people, at: setting.file)
    try peer?.open()
    return peer
  }

  private func setting(_ kind: PeerKind, _ place: Place) throws -> Workload.Setting {
    Workload.Setting(
      people: people, extraSerials: extraSerials, round: place.round, counted: counted, peer: kind,
      folder: try Folder(in: place.folder.url), reference: place.reference)
  }

  private func record(
    _ workload: Workload, _ peer: any Peer, _ setting: Workload.Setting, in results: inout Results
  ) throws {
    progress(setting.round, workload.name, setting.peer.rawValue)
    do {
      let figures = try workload.run(peer, setting)
      if setting.isRecorded { results.add(figures, of: setting.peer) }
    } catch let unsupported as Unsupported {
      results.skip(workload.name, setting.peer, unsupported.reason)
    }
  }

  private func rotated(by count: Int) -> [PeerKind] {
    let start = count % peers.count
    return Array(peers[start...] + peers[..<start])
  }

  private func progress(_ round: Int, _ workload: String, _ peer: String) {
    FileHandle.standardError.write(Data("round \(round) of \(rounds): \(workload) \(peer)\n".utf8))
  }
}
