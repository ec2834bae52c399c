// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataTestSupport

/// The place of a store of one operation: a name that no file has had.
///
/// ## Lifetime
///
/// `remove()` removes the store and its lock file. The compiler may end a value's life after its
/// last use, with the store still open, so this is no work for a deinit.
struct ScratchStore {
  let url = folder.file(UUID().uuidString)

  private static let folder = orTrap("no folder") { try TemporaryDirectory() }

  func remove() {
    for suffix in ["", "-lock"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
  }
}
