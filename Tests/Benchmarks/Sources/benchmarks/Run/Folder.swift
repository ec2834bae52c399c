// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A folder that is gone with its last reference.
final class Folder: Sendable {
  let url: URL

  /// Makes a folder of a new name in `parent`.
  init(in parent: URL) throws {
    url = parent.appendingPathComponent("strata-benchmarks-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Bytes of all files in it but locks.
  var byteCount: Int {
    get throws {
      try FileManager.default.contentsOfDirectory(
        at: url, includingPropertiesForKeys: [.fileSizeKey]
      )
      .filter { !$0.lastPathComponent.hasSuffix("-lock") }
      .reduce(0) { try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
    }
  }
}
