// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gazetteer
import Strata

/// The work of one process with a store: it reads all facts, saves a change, and reads again. It
/// prints the digest of the facts after each, and `error` with the kind of the first error.
enum Reading {
  /// - Parameter alwaysChecking: whether the file is checked whatever its stamp says.
  static func run(_ url: URL, alwaysChecking: Bool) -> Never {
    do {
      let container = try open(url, alwaysChecking: alwaysChecking)
      try container.root.performAndWait { context in
        say("read " + digest(of: try Gazetteer.large.facts(of: context)))
        try Gazetteer.large.change(context)
        context.reset()
        say("changed " + digest(of: try Gazetteer.large.facts(of: context)))
      }
    } catch let error as StoreError {
      say("error StoreError \(error)")
    } catch {
      // Conflicts with objects that damage has put there are errors of contexts.
      say("error \(type(of: error)) \(error)")
    }
    exit(0)
  }

  static func open(_ url: URL, alwaysChecking: Bool = false) throws -> PersistentContainer {
    var description = PersistentStoreDescription(at: url)
    description.durability = .none
    description.alwaysChecksFile = alwaysChecking
    return try PersistentContainer(stores: [description], model: Gazetteer.model())
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// FNV-1a.
  private static func digest(of facts: String) -> String {
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in facts.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(digest, radix: 16)
  }
}
