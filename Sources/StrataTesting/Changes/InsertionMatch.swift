// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// New objects, matched with expected ones: an expectation does not know the ID of its object.
///
/// An expectation gets an object of its entity that has exactly its values, if there is one. Of
/// several such objects it does not matter which, because they have the same values.
///
/// The others get those with the fewest differing properties, and a line tells of each difference.
/// A greedy choice could take the only object that fits another expectation. Therefore the number
/// of pairs comes before their nearness. An expectation and an object that have no expected value
/// in common do not belong together: each is a line.
///
/// - Complexity: with e expectations, o objects, and p properties of an entity, memory
///   O((e + o) p). Time O((e + o) p) if each expectation has an object with exactly its values.
///   Those that have none are matched as `NearestMatching` says, with O(p) for each distance.
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
    let id: ObjectID
    let lines: [String]
  }

  /// A line for each difference, except for the objects that no expectation got.
  private(set) var lines: [String] = []
  /// The objects that expectations got.
  private(set) var matched: Set<ObjectID> = []

  init(_ expectations: [Expectation], _ candidates: [Candidate], _ schema: Schema) {
    var open: [Int] = []
    for (index, expectation) in expectations.enumerated() {
      let mistakes = Self.mistakes(of: expectation, schema)
      if mistakes.isEmpty { open.append(index) }
      lines += mistakes
    }
    let objects = Dictionary(grouping: candidates, by: \.entity.description.name)
    var pairs: [Pair] = []
    for (entity, indices) in Dictionary(grouping: open, by: { expectations[$0].entity }) {
      guard let objects = objects[entity] else { continue }
      let patterns = indices.map { ExpectedObject(expectations[$0].properties, like: objects[0]) }
      pairs += Self.pairs(of: patterns, objects).map { index, object in
        Pair(
          expectation: indices[index], id: object.id,
          lines: patterns[index].differences(from: object))
      }
    }
    pairs.sort { ($0.lines.count, $0.expectation) < ($1.lines.count, $1.expectation) }
    for pair in pairs {
      matched.insert(pair.id)
      lines += pair.lines
    }
    let met = Set(pairs.map(\.expectation))
    for index in open where !met.contains(index) {
      lines.append("\(expectations[index].text): expected to be inserted, but no such object was")
    }
  }

  /// The pairs of expected objects, by their indices, and objects, which are all of one entity.
  private static func pairs(
    of expected: [ExpectedObject], _ objects: [Candidate]
  ) -> [(Int, Candidate)] {
    // From the end, so that the first object is taken first.
    var exact: [ComparedValues: [Int]] = [:]
    for index in objects.indices.reversed() {
      exact[ComparedValues(values: objects[index].values), default: []].append(index)
    }
    var pairs: [(Int, Candidate)] = []
    var others: [Int] = []
    var free = Set(objects.indices)
    for (index, pattern) in expected.enumerated() {
      if let object = exact[ComparedValues(values: pattern.values)]?.popLast() {
        pairs.append((index, objects[object]))
        free.remove(object)
      } else {
        others.append(index)
      }
    }
    let rest = free.sorted()
    let matching = NearestMatching(leftCount: others.count, rightCount: rest.count) {
      expected[others[$0]].distance(from: objects[rest[$1]])
    }
    for (index, partner) in zip(others, matching.partners) {
      if let partner { pairs.append((index, objects[rest[partner]])) }
    }
    return pairs
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
