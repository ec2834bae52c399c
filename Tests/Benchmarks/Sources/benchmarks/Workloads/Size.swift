// SPDX-License-Identifier: Apache-2.0

extension Workload {
  /// The file after one save, closed. A lock file is not counted.
  static let size = Workload(
    "size", "file bytes per object after W1", per: "object", on: .bulk, target: .bytes(220)
  ) { peer, setting in
    try peer.close()
    let byteCount = try setting.folder.byteCount
    try peer.open()
    return Figure(workload: "size", bytes: Double(byteCount) / Double(setting.people.scale))
  }

  /// The same after updates, which leave free pages and old versions.
  static let file = Workload(
    "F", "file bytes per object after five updates of all, each in one save", per: "object",
    on: .empty, target: .bytes(300)
  ) { peer, setting in
    let scale = setting.people.scale
    try peer.open(.unsynced)
    try peer.insert(1...scale, perSave: scale)
    for _ in 0..<5 { try peer.raiseScores() }
    peer.forget()
    let digest = try peer.digest()
    try peer.close()
    return Figure(
      workload: "F", bytes: Double(try setting.folder.byteCount) / Double(scale), checksum: digest)
  }
}
