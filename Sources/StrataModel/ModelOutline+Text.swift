// SPDX-License-Identifier: Apache-2.0

extension ModelOutline {
  /// The outline as a store keeps it: JSON with sorted keys. Equal outlines have equal texts, so who opens
  /// a store need not read its outline if the text is that of the model's.
  package var text: [UInt8] {
    var writer = JSONWriter(expecting: 4_096)
    writer.object { writer in
      writer.member("entities") { $0.array(entities) { $1.write(to: &$0) } }
    }
    return writer.text
  }
}

// Members stand in the order of their names; what is nil is left out.

extension ModelOutline.Entity {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("attributes") { $0.array(attributes) { $1.write(to: &$0) } }
      if let indexes { writer.member("indexes") { $0.lists(indexes) } }
      writer.member("isAbstract") { $0.bool(isAbstract) }
      writer.member("name") { $0.string(name) }
      writer.member("relationships") { $0.array(relationships) { $1.write(to: &$0) } }
      if let superentity { writer.member("superentity") { $0.string(superentity) } }
      if let uniqueTogether { writer.member("uniqueTogether") { $0.lists(uniqueTogether) } }
    }
  }
}

extension ModelOutline.Attribute {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let isExternal { writer.member("isExternal") { $0.bool(isExternal) } }
      writer.member("isIndexed") { $0.bool(isIndexed) }
      writer.member("isOptional") { $0.bool(isOptional) }
      writer.member("isTransient") { $0.bool(isTransient) }
      writer.member("isUnique") { $0.bool(isUnique) }
      writer.member("name") { $0.string(name) }
      writer.member("type") { $0.number(type.rawValue) }
    }
  }
}

extension ModelOutline.Relationship {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("destination") { $0.string(destination) }
      if let inverse { writer.member("inverse") { $0.string(inverse) } }
      writer.member("kind") { $0.number(kind.rawValue) }
      writer.member("name") { $0.string(name) }
    }
  }
}

extension JSONWriter {
  /// Lists of names.
  fileprivate mutating func lists(_ lists: [[String]]) {
    array(lists) { $0.array($1) { $0.string($1) } }
  }
}
