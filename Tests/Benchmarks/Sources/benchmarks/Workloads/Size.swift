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
}
