// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataStore

extension URL {
  /// The path of a store's file. The path of another URL may be that of a file as well, which it
  /// does not mean.
  ///
  /// - Throws: `StoreError.notAFileURL`.
  var storePath: String {
    get throws(StoreError) {
      guard isFileURL else { throw .notAFileURL(url: absoluteString) }
      return path
    }
  }
}
