// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// The effect of a transaction on an object.
package enum HistoryChangeKind: UInt8, Sendable {
  case insert = 1
  case update = 2
  case delete = 3
  /// A delete of an object that leaves values.
  case deleteWithValues = 4
}

/// One change of a stored transaction.
package struct StoredHistoryChange: Sendable {
  package let kind: HistoryChangeKind
  package let key: ObjectKey
  /// The properties that an update has changed, ascending; empty for other kinds.
  package let properties: [PropertyNumber]
  /// The bytes of a record with the values that a deleted object leaves; nil if it leaves none.
  package let tombstone: [UInt8]?
}

/// The changes of one transaction.
package struct StoredHistoryChanges: Sequence, Sendable {
  private let chunks: [[UInt8]]
  /// The offset of the first section in the first chunk.
  private let start: Int

  /// - Parameter chunks: at least one.
  init(chunks: [[UInt8]], start: Int) {
    self.chunks = chunks
    self.start = start
  }

  package func makeIterator() -> Iterator { Iterator(chunks, from: start) }

  package struct Iterator: IteratorProtocol {
    private let chunks: [[UInt8]]
    private var chunk = 0
    private var reader: ByteReader
    private var kind = HistoryChangeKind.insert
    private var entity = EntityNumber(rawValue: 0)
    private var properties: [PropertyNumber] = []
    private var remainingCount: UInt64 = 0
    private var serial: UInt64 = 0
    /// Whether the iteration has ended at bytes that cannot be decoded.
    private(set) var isDamaged = false

    fileprivate init(_ chunks: [[UInt8]], from start: Int) {
      self.chunks = chunks
      reader = ByteReader(chunks[0], from: start)
    }

    package mutating func next() -> StoredHistoryChange? {
      if isDamaged { return nil }
      while remainingCount == 0 {
        if reader.isAtEnd {
          chunk += 1
          guard chunk < chunks.count else { return nil }
          reader = ByteReader(chunks[chunk], from: HistoryEncoder.headByteCount)
        } else if !beginSection() {
          isDamaged = true
          return nil
        }
      }
      guard let step = reader.number(), step <= ObjectKey.serialMax - serial else {
        isDamaged = true
        return nil
      }
      remainingCount -= 1
      serial += step
      var tombstone: [UInt8]?
      if kind == .deleteWithValues {
        guard let bytes = reader.countedBytes() else {
          isDamaged = true
          return nil
        }
        tombstone = bytes
      }
      return StoredHistoryChange(
        kind: kind, key: ObjectKey(entity: entity, serial: serial), properties: properties,
        tombstone: tombstone)
    }

    private mutating func beginSection() -> Bool {
      guard let code = reader.byte(), let kind = HistoryChangeKind(rawValue: code),
        let entity = reader.number().flatMap(UInt16.init(exactly:))
      else { return false }
      (self.kind, self.entity) = (kind, EntityNumber(rawValue: entity))
      properties = []
      if kind == .update {
        guard let count = reader.number(), count <= UInt64(UInt16.max) else { return false }
        for _ in 0..<count {
          guard let number = reader.number().flatMap(UInt16.init(exactly:)) else { return false }
          properties.append(PropertyNumber(rawValue: number))
        }
      }
      guard let count = reader.number() else { return false }
      (remainingCount, serial) = (count, 0)
      return true
    }
  }
}
