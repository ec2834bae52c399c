// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// New objects, matched with expected ones: an expectation does not know the ID of its object.
///
/// An expectation gets an object of its entity that has exactly its values, if there is one. The
/// others get those with the fewest differing properties, and a line tells of each. An expectation
/// and an object that have no expected value in common do not belong together: each is a line.
struct InsertionMatch {
  struct Expectation {
    let entity: String
    let properties: [_ExpectedProperty]
  }

  struct Candidate {
    let id: ObjectID
    let entity: EntitySchema
    /// By slot; nil for a property that is not compared.
    let values: [_ExpectedValue?]
  }

  private struct Pair {
    let expectation: Int
    let candidate: Int
    let lines: [String]
  }

  /// A line for each difference, except for the objects that no expectation got.
  private(set) var lines: [String] = []
  /// The objects that expectations got.
  private(set) var matched: Set<ObjectID> = []

  init(_ expectations: [Expectation], _ candidates: [Candidate], _ schema: Schema) {
    var open = Set(expectations.indices)
    for (index, expectation) in expectations.enumerated() {
      let mistakes = Self.mistakes(of: expectation, schema)
      if mistakes.isEmpty { continue }
      lines += mistakes
      open.remove(index)
    }
    var free = Set(candidates.indices)
    var pairs: [Pair] = []
    for index in open.sorted() {
      for place in candidates.indices {
        if let pair = Self.pair(index, expectations[index], place, candidates[place]) {
          pairs.append(pair)
        }
      }
    }
    // Stable: of equal pairs, the first expectation gets the first object.
    let order = pairs.indices.sorted {
      (pairs[$0].lines.count, $0) < (pairs[$1].lines.count, $1)
    }
    for pair in order.map({ pairs[$0] })
    where open.contains(pair.expectation) && free.contains(pair.candidate) {
      open.remove(pair.expectation)
      free.remove(pair.candidate)
      matched.insert(candidates[pair.candidate].id)
      lines += pair.lines
    }
    for index in open.sorted() {
      lines.append("\(expectations[index].text): expected to be inserted, but no such object was")
    }
  }

  /// The pair of an expectation and an object; nil if they have no expected value in common.
  private static func pair(
    _ index: Int, _ expectation: Expectation, _ place: Int, _ candidate: Candidate
  ) -> Pair? {
    guard candidate.entity.description.name == expectation.entity else { return nil }
    var expected = candidate.values.indices.map {
      _ExpectedValue.initial(at: $0, of: candidate.entity)
    }
    for property in expectation.properties {
      guard case .slot(let slot) = ComparedProperty(property, of: candidate.entity) else {
        continue
      }
      expected[slot] = property.value.fitting(slot, of: candidate.entity)
    }
    // An ignored property can neither fit nor differ.
    let named = Set(expectation.properties.map(\.text)).filter { name in
      candidate.entity.description.slot(named: name).map { candidate.values[$0] != nil } ?? false
    }
    var lines: [String] = []
    var hasCommonValue = named.isEmpty
    for (slot, found) in candidate.values.enumerated() {
      guard let found else { continue }
      let name = candidate.entity.description.properties[slot].name
      if found.isSame(as: expected[slot]) {
        hasCommonValue = hasCommonValue || named.contains(name)
        continue
      }
      lines.append(
        "\(candidate.id.shortName).\(name): expected \(expected[slot].text) in the new object, "
          + "found \(found.text)" + (expected[slot].differenceDetail(from: found) ?? ""))
    }
    return hasCommonValue ? Pair(expectation: index, candidate: place, lines: lines) : nil
  }

  private static func mistakes(of expectation: Expectation, _ schema: Schema) -> [String] {
    guard let entity = schema.entity(named: expectation.entity), !entity.description.isAbstract
    else { return ["\(expectation.entity): the model has no such entity that has objects"] }
    return expectation.properties.compactMap { property in
      guard case .mistake(let text) = ComparedProperty(property, of: entity) else { return nil }
      return "\(expectation.entity).\(property.text): \(text)"
    }
  }
}

extension InsertionMatch.Expectation {
  /// "City (name: "Bern")".
  fileprivate var text: String {
    if properties.isEmpty { return entity }
    let values = properties.map { "\($0.text): \($0.value.text)" }
    return "\(entity) (\(values.joined(separator: ", ")))"
  }
}
