// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataPrimitives

/// The maker of the instruments of this process: each store that is opened asks it for one.
package enum Instruments {
  /// Makes the instrument of a store with this name.
  package typealias Maker = @Sendable (_ storeName: String) -> any Instrument

  private struct Installed {
    var make: Maker?
  }

  private static let installed = CountedMutex(Installed())

  /// Has stores that are opened from now on observed by instruments of this maker; nil ends it.
  /// Open stores keep theirs.
  package static func install(_ maker: Maker?) { installed.withLock { $0.make = maker } }

  /// A new instrument; nil if the program has not asked for instruments.
  static func make(named storeName: @autoclosure () -> String) -> (any Instrument)? {
    // Called without the lock: the maker may open a store.
    installed.withLock { $0.make }?(storeName())
  }

  /// The name of a store in metrics: the name of its file without folder and extension.
  ///
  /// - Parameter path: nil for a store in memory.
  static func storeName(ofFileAt path: String?) -> String {
    guard let path else { return "memory" }
    return URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }
}
