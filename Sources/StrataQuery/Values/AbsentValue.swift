// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

extension AttributeDescription {
  /// The value that the property reads as while its slot is absent: nil for an optional property,
  /// the default for a type without a zero value, else the type's zero value. A predicate must see
  /// the same value as the program.
  package var absentValue: PropertyValue {
    if isOptional { return .null }
    return needsDefault ? defaultValue : type.zero
  }
}

extension AttributeType {
  /// The value of a non-optional property of this type before it is set; `.null` if the type has no
  /// zero value.
  fileprivate var zero: PropertyValue {
    func zero<V: AttributeValue>(_: V.Type) -> PropertyValue { V.zero?.value ?? .null }
    return SlotCode(self).valueType.map { zero($0) } ?? .null
  }
}
