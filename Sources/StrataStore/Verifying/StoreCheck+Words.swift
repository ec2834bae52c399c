// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

// The indexes of words.

extension StoreCheck {
  mutating func expectWords(
    of key: ObjectKey, _ index: IndexSchema, _ record: Record, _ entity: EntitySchema
  ) {
    defer { withExtendedLifetime(record) {} }
    guard let text = record.slot(index.slot, entity.layout).bytes(.string) else { return }
    words.read(text)
    var entries = expectedWords[index.number] ?? WordEntries()
    words.forEachValue { entries.add($0, key) }
    expectedWords[index.number] = entries
  }

  /// Compares all entries with the words of the records, by their number and the sum of their
  /// digests: each entry by itself would take the words of its object's text again. The objects at
  /// fault are looked for if they differ.
  mutating func checkWords(_ index: IndexSchema, _ place: String) {
    var found = WordEntries()
    var last: [UInt8] = []
    var isOrdered = true
    do {
      try view.scanIndex(index.number, in: KeyRange(), isReversed: false) { entry, key in
        noteWork()
        isOrdered = isOrdered && last.withUnsafeBytes { $0.isBelow(entry) }
        last.replaceSubrange(last.indices, with: entry)
        found.add(
          UnsafeRawBufferPointer(rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount)), key)
        return .more
      }
      counts.indexEntries += found.count
      if !isOrdered { self.found(place, "its entries do not ascend") }
      if !uncountable.contains(index.number), found != expectedWords[index.number] ?? WordEntries()
      {
        try findWrongWords(index, place)
      }
    } catch {
      self.found(place, error)
    }
  }

  /// Reports each object whose entries are not the words of its text.
  private mutating func findWrongWords(_ index: IndexSchema, _ place: String) throws {
    var byObject: [ObjectKey: WordEntries] = [:]
    try view.scanIndex(index.number, in: KeyRange(), isReversed: false) { entry, key in
      byObject[key, default: WordEntries()].add(
        UnsafeRawBufferPointer(rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount)), key)
      return .more
    }
    for entity in view.schema.entities where !entity.description.isAbstract {
      guard let index = entity.indexes.first(where: { $0.number == index.number }) else { continue }
      var keys: [ObjectKey] = []
      try view.scanKeys(of: entity.number) { key in
        keys.append(key)
        return .more
      }
      for key in keys {
        noteWork()
        let found = byObject.removeValue(forKey: key) ?? WordEntries()
        // An unreadable record is reported by itself.
        guard let record = try? view.record(for: key)?.record else { continue }
        var expected = WordEntries()
        if let text = record.slot(index.slot, entity.layout).bytes(.string) {
          words.read(text)
          words.forEachValue { expected.add($0, key) }
        }
        withExtendedLifetime(record) {}
        if found != expected {
          self.found(
            place,
            "\(found.count) entries for the \(expected.count) of the text, or other ones: "
              + name(of: key))
        }
      }
    }
    for key in byObject.keys.sorted() {
      found(place, "entries of an object that does not exist: \(name(of: key))")
    }
  }
}
