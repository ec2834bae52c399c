// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord
import Testing

private class Thing {}

private func model(
  _ type: AttributeType, _ options: AttributeOption...
) throws -> ManagedObjectModel {
  let attribute = AttributeDescription(
    "a", type: type, options: Set(options), needsDefault: false)
  return try ManagedObjectModel(
    entities: [EntityDescription("Thing", class: Thing.self, properties: [.attribute(attribute)])])
}

@Suite struct `A merge rule of an attribute` {
  @Test(arguments: [
    (AttributeType.int8, MergeRule.sum), (.uint64, .sum), (.decimal, .sum), (.double, .max),
    (.date, .min), (.int64, .custom { (_: Int, ours: Int, _: Int) in ours }),
    (.int64, .custom { (_: Int?, ours: Int?, _: Int?) in ours }),
    (.string, .custom { (_: String, ours: String, _: String) in ours }),
    (.codable, .custom { (_: [Int], ours: [Int], _: [Int]) in ours }),
  ])
  func `is taken for a type that it fits`(type: AttributeType, rule: MergeRule) throws {
    let entity = try model(type, .merges(rule)).entities[0]
    #expect(entity.properties[0].attribute?.mergeRule == rule)
  }

  @Test(arguments: [
    (AttributeType.string, MergeRule.sum), (.bool, .sum), (.date, .sum), (.string, .max),
    (.codable, .min), (.int64, .union), (.codable, .union),
    (.double, .custom { (_: Int, ours: Int, _: Int) in ours }),
    (.int32, .custom { (_: Int, ours: Int, _: Int) in ours }),
    (.int64, .custom { (_: String, ours: String, _: String) in ours }),
    (.int64, .custom { (_: [Int], ours: [Int], _: [Int]) in ours }),
    (.codable, .custom { (_: Int, ours: Int, _: Int) in ours }),
  ])
  func `is refused where it fits nothing`(type: AttributeType, rule: MergeRule) {
    let error = ModelError.unfitMergeRule(
      entity: "Thing", property: "a", rule: rule.description)
    #expect(throws: error) { try model(type, .merges(rule)) }
  }

  @Test func `is the only one, of values that are set and stored in the object`() {
    let error = ModelError.unfitMergeRule(entity: "Thing", property: "a", rule: ".sum")
    #expect(throws: error) { try model(.int64, .merges(.sum), .transient) }
    #expect(throws: ModelError.self) { try model(.int64, .merges(.sum), .merges(.max)) }
  }
}
