// SPDX-License-Identifier: Apache-2.0

extension ModelOutline {
  /// The outline in its stored form: JSON with sorted keys. Equal outlines have equal texts, so a
  /// store whose text equals the model's need not decode its outline.
  package var text: [UInt8] {
    var json = JSONWriter()
    json.object { $0.member("entities") { $0.array(entities) { $1.write(to: &$0) } } }
    return json.text
  }
}

// Members are in the order of their names. One that is nil is left out.

extension ModelOutline.Entity {
  fileprivate func write(to json: inout JSONWriter) {
    json.object {
      $0.member("attributes") { $0.array(attributes) { $1.write(to: &$0) } }
      if let indexes { $0.member("indexes") { $0.array(indexes) { $0.array($1) } } }
      $0.member("isAbstract", isAbstract)
      $0.member("name", name)
      $0.member("relationships") { $0.array(relationships) { $1.write(to: &$0) } }
      if let superentity { $0.member("superentity", superentity) }
      if let uniqueTogether {
        $0.member("uniqueTogether") { $0.array(uniqueTogether) { $0.array($1) } }
      }
    }
  }
}

extension ModelOutline.Attribute {
  fileprivate func write(to json: inout JSONWriter) {
    json.object {
      if let isExternal { $0.member("isExternal", isExternal) }
      if let isFullText { $0.member("isFullText", isFullText) }
      $0.member("isIndexed", isIndexed)
      $0.member("isOptional", isOptional)
      $0.member("isTransient", isTransient)
      $0.member("isUnique", isUnique)
      $0.member("name", name)
      $0.member("type", type.rawValue)
    }
  }
}

extension ModelOutline.Relationship {
  fileprivate func write(to json: inout JSONWriter) {
    json.object {
      $0.member("destination", destination)
      if let inverse { $0.member("inverse", inverse) }
      $0.member("kind", kind.rawValue)
      $0.member("name", name)
    }
  }
}
