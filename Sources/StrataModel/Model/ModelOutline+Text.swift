// SPDX-License-Identifier: Apache-2.0

extension ModelOutline {
  /// The outline in its stored form: JSON with sorted keys. Equal outlines have equal texts, so a
  /// store whose text equals the model's need not decode its outline.
  package var text: [UInt8] {
    Array(JSONText.object(["entities": JSONText.array(entities.map(\.text))]).utf8)
  }
}

// Members are in the order of their names.

extension ModelOutline.Entity {
  fileprivate var text: String {
    JSONText.object([
      "attributes": JSONText.array(attributes.map(\.text)),
      "indexes": indexes.map(Self.text),
      "isAbstract": "\(isAbstract)",
      "name": JSONText.string(name),
      "relationships": JSONText.array(relationships.map(\.text)),
      "superentity": superentity.map(JSONText.string),
      "uniqueTogether": uniqueTogether.map(Self.text),
    ])
  }

  private static func text(_ lists: [[String]]) -> String {
    JSONText.array(lists.map { JSONText.array($0.map(JSONText.string)) })
  }
}

extension ModelOutline.Attribute {
  fileprivate var text: String {
    JSONText.object([
      "isExternal": isExternal.map { "\($0)" },
      "isIndexed": "\(isIndexed)",
      "isOptional": "\(isOptional)",
      "isTransient": "\(isTransient)",
      "isUnique": "\(isUnique)",
      "name": JSONText.string(name),
      "type": "\(type.rawValue)",
    ])
  }
}

extension ModelOutline.Relationship {
  fileprivate var text: String {
    JSONText.object([
      "destination": JSONText.string(destination),
      "inverse": inverse.map(JSONText.string),
      "kind": "\(kind.rawValue)",
      "name": JSONText.string(name),
    ])
  }
}
