// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB

/// A new folder for temporary files that no other user can look into.
///
/// ## Lifetime
/// The folder and the names in it go with the value. A file that is open stays until it is closed.
package struct PrivateFolder: ~Copyable {
  package let path: String

  /// - Throws: `permissionDenied`, `diskFull`, `storage`.
  package init() throws(StoreError) {
    let pattern = FileManager.default.temporaryDirectory.appendingPathComponent("strata-XXXXXX")
    var bytes = Array(pattern.path.utf8CString)
    guard mkdtemp(&bytes) != nil else {
      throw StoreError(LMDBError(code: errno), opening: pattern.path)
    }
    path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
