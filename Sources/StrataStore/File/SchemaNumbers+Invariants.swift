// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

// The catalog comes from the disk, and schemas are made on the condition that its numbers are
// sound.

extension SchemaNumbers {
  /// Whether each number is in its range and is given once, up to the last one.
  var areDistinct: Bool {
    guard max(lastEntity, lastProperty) <= PropertyNumber.rawValueMax else { return false }
    var ofEntities = DistinctNumbers(upTo: lastEntity)
    var ofProperties = DistinctNumbers(upTo: lastProperty)
    return entities.values.allSatisfy { ofEntities.insert($0) }
      && properties.values.allSatisfy { $0.values.allSatisfy { ofProperties.insert($0) } }
  }

  /// Whether every entity, property and index of `outline` has a number.
  func covers(_ outline: ModelOutline) -> Bool {
    outline.entities.allSatisfy { entity in
      let own = properties[entity.name]
      let indexes = (entity.uniqueTogether ?? []) + (entity.indexes ?? [])
      return entities[entity.name] != nil
        && entity.attributes.allSatisfy { own?[$0.name] != nil }
        && entity.relationships.allSatisfy { own?[$0.name] != nil }
        && indexes.allSatisfy { own?[Self.name(ofIndexOver: $0)] != nil }
        && entity.attributes.allSatisfy {
          $0.isFullText != true || own?[Self.name(ofWordsOf: $0.name)] != nil
        }
    }
  }
}

/// Numbers from 1 up to a last one, each once.
private struct DistinctNumbers {
  private var isTaken: [Bool]

  init(upTo last: UInt16) {
    isTaken = [Bool](repeating: false, count: Int(last) + 1)
    isTaken[0] = true
  }

  /// - Returns: false if the number is not in the range, or was inserted before.
  mutating func insert(_ number: UInt16) -> Bool {
    guard number < isTaken.count, !isTaken[Int(number)] else { return false }
    isTaken[Int(number)] = true
    return true
  }
}
