// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Announces each step on standard error: it finds a sequence that ends the process, or that never
/// ends.
package enum Trace {
  package static let isOn = ProcessInfo.processInfo.environment["STRATA_NESTING_TRACE"] == "1"

  package static func print(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
