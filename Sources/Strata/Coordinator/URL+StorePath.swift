// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataStore

extension URL {
  /// The path of a store's file. A URL of the web has a path too, which names no file here.
  ///
  /// - Throws: `StoreError.notAFileURL`.
  var storePath: String {
    get throws(StoreError) {
      guard isFileURL else { throw .notAFileURL(url: absoluteString) }
      return path
    }
  }
}
