// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gazetteer
import Strata
import StrataRecord
import StrataTestSupport

/// Whole files of a store: opening, reading and changing a damaged one gives the right facts or a
/// typed error.
///
/// An input is a script. If its first byte is even, the rest damages bytes of the file, and the
/// seal shows it: the facts are right or the error is `StoreError`. If it is odd, the rest changes
/// entries of trees and makes the checksums and the seal right again (`SealedEdits`): a program then
/// reads other facts or gets an error of Strata, and goes on.
///
/// | bytes of a damage | meaning |
/// | --- | --- |
/// | 0 to 2 | the place |
/// | 3 | the kind: a bit, a byte, a word, a copied page, a shorter file |
/// | 4 | the argument |
enum StoreSubject: Subject {
  static let name = "store"
  static let weight = 200

  // MARK: - Bytes

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    guard let first = bytes.first else { return }
    let script = Array(bytes.dropFirst())
    let isSealed = first & 1 == 1
    let scratch = ScratchStore()
    defer { scratch.remove() }
    do {
      let damaged = isSealed ? template.bytes : damaged(template.bytes, by: script)
      try Data(damaged).write(to: scratch.url)
      if isSealed { try SealedEdits(script, of: template.schema).apply(to: scratch.url) }
    } catch {
      throw Finding("a file cannot be prepared: \(error)")
    }
    let (found, error) = read(scratch.url)
    if let error {
      try require(
        error is StoreError || isSealed && error is any StrataMistake,
        "the error \(type(of: error)) is not a store's: \(error)")
    }
    if isSealed { return }
    // What was read before an error has to be right, too.
    try require(
      template.facts.starts(with: found), "wrong facts of a damaged file, after \(found.count - 1)")
    try require(error != nil || found.count == template.facts.count, "facts are missing")
  }

  /// The facts of a store before and after a change, as far as an error does not end it.
  fileprivate static func read(_ url: URL) -> (facts: [String], error: (any Error)?) {
    var facts: [String] = []
    do {
      let container = try FuzzedStore.open(url)
      facts.append(try container.root.performAndWait { try FuzzedStore.content.facts(of: $0) })
      try FuzzedStore.inspect(container.coordinator)
      facts.append(
        try container.root.performAndWait { context in
          try FuzzedStore.content.change(context)
          context.reset()
          return try FuzzedStore.content.facts(of: context)
        })
      try FuzzedStore.inspect(container.coordinator)
      return (facts, nil)
    } catch {
      return (facts, error)
    }
  }

  private static func damaged(_ file: [UInt8], by script: [UInt8]) -> [UInt8] {
    var file = file
    let page = 4_096
    var rest = script[...]
    while rest.count >= 5 {
      let part = Array(rest.prefix(5))
      rest = rest.dropFirst(5)
      let place = (Int(part[0]) | Int(part[1]) << 8 | Int(part[2]) << 16) % max(1, file.count - 8)
      switch part[3] % 16 {
      case 0..<5: file[place] ^= 1 << (part[4] % 8)
      case 5..<9: file[place] = part[4]
      case 9..<12: file[place] &+= part[4]
      case 12: file.replaceSubrange(place..<(place + 8), with: repeatElement(part[4], count: 8))
      case 13, 14:
        let pageCount = file.count / page
        let (to, from) = (place / page % pageCount, Int(part[4]) % pageCount)
        file.replaceSubrange(
          (to * page)..<(to * page + page), with: file[(from * page)..<(from * page + page)])
      default: file.removeLast(min(file.count - 2 * page, Int(part[4]) * 64))
      }
    }
    return file
  }

  // MARK: - Operations

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    var script = [UInt8.random(in: 0...1, using: &random)]
    let isSealed = script[0] == 1
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      var part = [UInt8](uniform: isSealed ? SealedEdits.editByteCount : 5, using: &random)
      if !isSealed, Bool.random(using: &random) {
        // The heads of pages, and of the file.
        let page = Int.random(in: 0..<(template.bytes.count / 4_096), using: &random) * 4_096
        let place = page + Int.random(in: 0..<160, using: &random)
        for index in 0..<3 { part[index] = UInt8(truncatingIfNeeded: place >> (8 * index)) }
      }
      script += part
    }
    try probe(exactly: script)
  }

  // MARK: - The undamaged file

  private struct Template: Sendable {
    let bytes: [UInt8]
    let facts: [String]
    let schema: Schema

    init() throws {
      let (sound, copy) = (ScratchStore(), ScratchStore())
      defer {
        sound.remove()
        copy.remove()
      }
      try FuzzedStore.make(at: sound.url)
      bytes = [UInt8](try Data(contentsOf: sound.url))
      try FileManager.default.copyItem(at: sound.url, to: copy.url)
      let (found, error) = StoreSubject.read(copy.url)
      if let error { throw error }
      facts = found
      schema = try FuzzedStore.open(sound.url).coordinator.schema
    }
  }

  private static let template = orTrap("no store to damage") { try Template() }
}

/// The errors of Strata's layers other than the store's: objects that damage has put there may
/// conflict with those of a save.
private protocol StrataMistake: Error {}

extension ContextError: StrataMistake {}
extension QueryError: StrataMistake {}
extension ModelError: StrataMistake {}
