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
        if stage == .strataAlone {
          guard peers.contains(.strata) else { continue }
          for workload in due {
            progress(round, workload.name, "strata")
            let setting = setting(round, folder, reference)
            try record(workload, .strata, in: &results) {
              // Such a workload takes no peer; it makes contexts of its own.
              try workload.run(StrataPeer(people, at: folder.url), setting)
            }
          }
        } else {
          try run(due, on: stage, round, folder, reference, into: &results)
        }
      }
    }
    return results
  }

  /// One round of the workloads that all peers do on a stage.
  private func run(
    _ due: [Workload], on stage: Workload.Stage, _ round: Int, _ parent: Folder,
    _ reference: ReferenceStore, into results: inout Results
  ) throws {
    var due = due
    let making = Workload.all.first { $0.stage == stage && $0.makesStage }!
    let isMeasured = due.contains { $0.name == making.name }
    if !isMeasured { due.insert(making, at: 0) }
    var folders: [PeerKind: Folder] = [:]
    var running: [PeerKind: any Peer] = [:]
    for kind in peers {
      guard let type = kind.type else { continue }
      let folder = try Folder(in: parent.url)
      let peer = type.init(people, at: folder.file("people"))
      try peer.open()
      (folders[kind], running[kind]) = (folder, peer)
    }
    for (index, workload) in due.enumerated() {
      for kind in rotated(by: round + index) {
        guard let peer = running[kind], let folder = folders[kind] else { continue }
        progress(round, workload.name, kind.rawValue)
        var setting = setting(round, folder, reference)
        setting.isRecorded = isMeasured || workload.name != making.name
        if !setting.isRecorded {
          _ = try workload.run(peer, setting)
        } else {
          try record(workload, kind, in: &results) { try workload.run(peer, setting) }
        }
      }
    }
    for peer in running.values { try peer.close() }
  }

  private func setting(
    _ round: Int, _ folder: Folder, _ reference: ReferenceStore
  ) -> Workload.Setting {
    Workload.Setting(
      people: people, extraSerials: extraSerials, round: round, folder: folder,
      reference: reference)
  }

  private func record(
    _ workload: Workload, _ peer: PeerKind, in results: inout Results,
    _ run: () throws -> [Figure]
  ) throws {
    do {
      results.add(try run(), of: peer)
    } catch let unsupported as Unsupported {
      results.skip(workload.name, peer, unsupported.reason)
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
