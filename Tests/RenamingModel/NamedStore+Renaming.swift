// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel

/// The difference between a store after its names have moved and the naive model.
package struct RenamingFailure: Error, CustomStringConvertible {
  package let description: String
}

extension NamedStore {
  /// Makes the store, moves its names, opens it again and again, with the next model, too.
  ///
  /// - Throws: `RenamingFailure`.
  package func check(_ renaming: RandomRenaming) throws {
    let title = "\(renaming.former) to \(renaming.present), removing \(renaming.removing.sorted())"
    try make(renaming.former, renaming.content)
    do {
      try open(renaming.present, removing: renaming.removing)
    } catch StoreError.modelMismatch(let found) {
      let names = found.map { mismatch in
        mismatch.property.map { "\(mismatch.entity).\($0)" } ?? mismatch.entity
      }
      guard Set(names) == renaming.unnamed else {
        throw RenamingFailure(
          description: "\(title): refused for \(found), not for \(renaming.unnamed.sorted())")
      }
      return try require(
        content(renaming.former), renaming.content, "\(title): after the refusal")
    }
    guard renaming.unnamed.isEmpty else {
      throw RenamingFailure(
        description: "\(title): \(renaming.unnamed.sorted()) is gone without a name in removing")
    }
    for turn in 1...2 {
      try require(
        content(renaming.present, removing: renaming.removing), renaming.expected,
        "\(title): opening \(turn)")
    }
    for turn in 1...2 {
      try require(
        content(renaming.later, removing: renaming.removing), renaming.expected,
        "\(title): opening \(turn) with the next model")
    }
  }

  private func require(
    _ found: NamedContent, _ expected: NamedContent, _ sentence: String
  ) throws {
    guard found != expected else { return }
    throw RenamingFailure(description: "\(sentence): \(found), not \(expected)")
  }
}
