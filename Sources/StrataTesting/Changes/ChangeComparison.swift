// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The changes between two states, compared with expected ones. Each expectation consumes the
/// change that it describes; a line tells of every expectation without its change, and of every
/// change that is left at the end.
struct ChangeComparison {
  private let before: GraphState
  private let after: GraphState
  private let ignored: Set<String>
  private var inserted: Set<ObjectID>
  private var deleted: Set<ObjectID>
  /// The changed slots of objects that both states have.
  private var updated: [ObjectID: Set<Int>] = [:]
  private var lines: [String] = []

  /// - Parameter ignored: properties that may change, as `Entity.property`.
  init(from before: GraphState, to after: GraphState, ignoring ignored: Set<String>) {
    (self.before, self.after, self.ignored) = (before, after, ignored)
    inserted = Set(after.objects.keys).subtracting(before.objects.keys)
    deleted = Set(before.objects.keys).subtracting(after.objects.keys)
    for (id, object) in after.objects {
      guard let former = before.objects[id] else { continue }
      let slots = object.values.indices.filter { slot in
        guard let value = object.values[slot], let former = former.values[slot] else {
          return false
        }
        return !value.isSame(as: former) && !isIgnored(slot, of: object.entity)
      }
      if !slots.isEmpty { updated[id] = Set(slots) }
    }
  }

  /// A line for each difference; empty if the changes are the expected ones.
  func differences(from expectations: [_ChangeExpectation]) -> [String] {
    var comparison = self
    var insertions: [InsertionMatch.Expectation] = []
    for expectation in expectations {
      switch expectation {
      case .deleted(let id): comparison.compareDeletion(of: id)
      case .updated(let id, let property, let former):
        comparison.compareUpdate(of: id, property, from: former)
      case .inserted(let entity, let properties):
        insertions.append(InsertionMatch.Expectation(entity: entity, properties: properties))
      }
    }
    comparison.compareInsertions(insertions)
    comparison.tellRest()
    return comparison.lines
  }

  private func isIgnored(_ slot: Int, of entity: EntitySchema) -> Bool {
    if ignored.isEmpty { return false }
    let name = entity.description.properties[slot].name
    return entity.description.lineage.contains { ignored.contains("\($0.name).\(name)") }
  }

  // MARK: - Expectations

  private mutating func compareDeletion(of id: ObjectID) {
    if deleted.remove(id) != nil { return }
    let reason =
      switch (before.objects[id] != nil, after.objects[id] != nil) {
      case (_, true): "but it is still there"
      case (true, _): "twice"
      default: "but it was not there"
      }
    lines.append("\(id.shortName): expected to be deleted, \(reason)")
  }

  private mutating func compareUpdate(
    of id: ObjectID, _ property: _ExpectedProperty, from former: _ExpectedValue
  ) {
    let place = "\(id.shortName).\(property.text)"
    guard let object = after.objects[id], let formerObject = before.objects[id] else {
      let reason =
        switch (before.objects[id] != nil, after.objects[id] != nil) {
        case (true, _): "the object was deleted"
        case (_, true): "the object was inserted: expect Inserted, with this value"
        default: "there is no such object"
        }
      lines.append("\(place): expected \(former.text) → \(property.value.text), but \(reason)")
      return
    }
    let slot: Int
    switch ComparedProperty(property, of: object.entity) {
    case .slot(let found): slot = found
    case .mistake(let text):
      lines.append("\(place): \(text)")
      return
    }
    guard let found = object.values[slot], let formerFound = formerObject.values[slot] else {
      return
    }
    let isLeft = updated[id]?.remove(slot) != nil
    let (expected, expectedFormer) = (
      property.value.fitting(slot, of: object.entity), former.fitting(slot, of: object.entity)
    )
    let isExpected = found.isSame(as: expected) && formerFound.isSame(as: expectedFormer)
    if isExpected, isLeft { return }
    let change =
      if found.isSame(as: formerFound) {
        "but it is \(found.text) as before"
      } else if isExpected {
        "which is listed twice"
      } else {
        "found \(formerFound.text) → \(found.text)"
      }
    lines.append(
      "\(place): expected \(expectedFormer.text) → \(expected.text), \(change)"
        + (expected.differenceDetail(from: found) ?? ""))
  }

  private mutating func compareInsertions(_ expectations: [InsertionMatch.Expectation]) {
    let candidates = inserted.sorted { $0.key < $1.key }.compactMap { id in
      after.objects[id].map { object in
        InsertionMatch.Candidate(
          id: id, entity: object.entity,
          values: object.values.enumerated().map { slot, value in
            isIgnored(slot, of: object.entity) ? nil : value
          })
      }
    }
    let match = InsertionMatch(expectations, candidates, after.schema)
    lines += match.lines
    inserted.subtract(match.matched)
  }

  // MARK: - Changes that are left

  private mutating func tellRest() {
    for id in inserted.sorted(by: { $0.key < $1.key }) {
      lines.append("\(id.shortName): inserted, which was not expected\(values(of: id, in: after))")
    }
    for id in updated.keys.sorted(by: { $0.key < $1.key }) {
      guard let object = after.objects[id], let former = before.objects[id] else { continue }
      for slot in (updated[id] ?? []).sorted() {
        guard let value = object.values[slot], let former = former.values[slot] else { continue }
        let name = object.entity.description.properties[slot].name
        lines.append(
          "\(id.shortName).\(name): \(former.text) → \(value.text), which was not expected")
      }
    }
    for id in deleted.sorted(by: { $0.key < $1.key }) {
      lines.append("\(id.shortName): deleted, which was not expected\(values(of: id, in: before))")
    }
  }

  /// The values of an object that a new object does not have: " (name: "Bern")".
  private func values(of id: ObjectID, in state: GraphState) -> String {
    guard let object = state.objects[id] else { return "" }
    let shown = object.values.indices.compactMap { slot -> String? in
      guard let value = object.values[slot],
        !value.isSame(as: .initial(at: slot, of: object.entity))
      else { return nil }
      return "\(object.entity.description.properties[slot].name): \(value.text)"
    }
    return shown.isEmpty ? "" : " (\(shown.joined(separator: ", ")))"
  }
}
