// SPDX-License-Identifier: Apache-2.0
import Strata

extension EntityDescription {
  /// The attribute that names an object to a person: `name`, `title` or `label`, or else the first
  /// text, a unique one if there is one; nil if the entity has none.
  var labelProperty: String? {
    let texts = properties.compactMap(\.attribute).filter { $0.type == .string && $0.isFetched }
    let known = ["name", "title", "label"].lazy.compactMap { name in
      texts.first { $0.name == name }
    }
    return (known.first ?? texts.first { $0.isUnique } ?? texts.first)?.name
  }
}

extension AttributeDescription {
  /// Whether a fetch of rows has the value.
  var isFetched: Bool { !isExternal && !isTransient }
}

extension AttributeType {
  /// The name of the type in the words of `strata model`.
  var shownName: String { "\(self)" }
}
