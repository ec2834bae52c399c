// SPDX-License-Identifier: Apache-2.0
import RenamingModel
import StrataTestSupport
import Synchronization

/// Moved names: opening a small store with a model whose entities and properties have exchanged
/// their names, or passed them on, leaves the data under the right names, or names what would be
/// lost; then the store is as it was (`RandomRenaming`).
enum RenamingSubject: Subject {
  static let name = "renames"
  static let weight = 200

  private static let counts = Mutex(RandomRenaming.Counts())

  static var tally: String? { counts.withLock { $0.description } }

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    var random = ByteGenerator(bytes)
    let renaming = RandomRenaming(using: &random)
    let scratch = ScratchStore()
    defer { scratch.remove() }
    do {
      try NamedStore(at: scratch.url).check(renaming)
    } catch {
      throw Finding("\(error)")
    }
    counts.withLock { $0 += renaming.counts }
  }

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    let count = Int.random(in: 20...400, using: &random)
    try probe(exactly: [UInt8](uniform: count, using: &random))
  }
}
