// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The values that an expected new object has: those that the expectation names, and for the other
/// properties the values of a new object.
struct ExpectedObject {
  /// By slot; nil for a property that is not compared.
  let values: [_ExpectedValue?]
  /// The slots that the expectation names, without those that are not compared.
  private let named: Set<Int>

  /// - Parameters:
  ///   - properties: the properties of an expectation without mistakes.
  ///   - object: any new object of its entity. Objects of an entity have the same properties
  ///     compared.
  init(_ properties: [_ExpectedProperty], like object: InsertionMatch.Candidate) {
    let entity = object.entity
    var values = object.values.enumerated().map { slot, value in
      value == nil ? nil : _ExpectedValue.initial(at: slot, of: entity)
    }
    var named: Set<Int> = []
    for property in properties {
      // An ignored property can neither fit nor differ.
      guard case .slot(let slot) = ComparedProperty(property, of: entity), values[slot] != nil
      else { continue }
      values[slot] = property.value.fitting(slot, of: entity)
      named.insert(slot)
    }
    (self.values, self.named) = (values, named)
  }

  /// How many properties of an object differ; nil if it has none of the values that the expectation
  /// names.
  func distance(from object: InsertionMatch.Candidate) -> Int? {
    guard named.isEmpty || named.contains(where: { isMet(at: $0, by: object) }) else { return nil }
    return values.indices.count { !isMet(at: $0, by: object) }
  }

  /// A line for each property that differs.
  func differences(from object: InsertionMatch.Candidate) -> [String] {
    values.indices.compactMap { slot in
      guard !isMet(at: slot, by: object), let expected = values[slot],
        let found = object.values[slot]
      else { return nil }
      let name = object.entity.description.properties[slot].name
      return "\(object.id.shortName).\(name): expected \(expected.text) in the new object, "
        + "found \(found.text)" + (expected.differenceDetail(from: found) ?? "")
    }
  }

  private func isMet(at slot: Int, by object: InsertionMatch.Candidate) -> Bool {
    guard let expected = values[slot], let found = object.values[slot] else { return true }
    return found.isSame(as: expected)
  }
}
