// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
package import StrataRecord

/// Finds the stored property of a key path by recording one reading of it on a temporary object. It
/// finds that `\Employee.name` is the `name` that Person declares, although the two key paths are
/// not equal. It finds the steps of `\City.country?.name` in the same way.
///
/// A computed property reads stored ones too, `shoutedName` the `name`. It is distinguished from
/// the property itself by its result for marks: values that the recorder gives the object.
///
/// ## Isolation
/// The isolation that reads the temporary object.
package final class SlotRecorder {
  /// The recorded reads, in this order.
  package private(set) var slots: [Int] = []
  /// The last returned value.
  private(set) var answer: PropertyValue?
  private let marks: Marks
  private let followsRelationships: Bool

  init(_ marks: Marks, followsRelationships: Bool = true) {
    self.marks = marks
    self.followsRelationships = followsRelationships
  }

  /// Notes a read of a slot.
  ///
  /// - Returns: the value to read; nil for the value of an empty slot.
  package func read<T: AttributeValue>(_ slot: Int, as _: T.Type = T.self) -> T? {
    slots.append(slot)
    let value = marks.value(of: T.attributeType).flatMap { T(value: $0) }
    answer = value?.value
    return value
  }

  /// Notes that a relationship is read.
  package func read(relationship slot: Int) { slots.append(slot) }

  /// Notes that a to-one relationship is read.
  ///
  /// - Returns: a temporary object of the target's class, whose reads are recorded too; nil if the
  ///   recorder follows no relationships.
  func follow(_ slot: Int, of entity: EntityDescription) -> ManagedObject? {
    slots.append(slot)
    guard followsRelationships, let relationship = entity.properties[slot].relationship,
      let type = relationship.destination().managedObjectClass as? ManagedObject.Type
    else { return nil }
    return type.recording(with: self)
  }

  /// Two sets of values, with different values of each type.
  enum Marks: CaseIterable {
    case first, second

    func value(of type: AttributeType) -> PropertyValue? {
      let isFirst = self == .first
      switch type {
      case .bool: return .bool(isFirst)
      case .int8, .int16, .int32, .int64: return .int(isFirst ? 0x35 : 0x4a)
      case .uint8, .uint16, .uint32, .uint64: return .uint(isFirst ? 0x35 : 0x4a)
      case .float, .double: return .double(isFirst ? 0.375 : -6.5)
      case .decimal: return .decimal(isFirst ? 0.375 : -6.5)
      case .string: return .string(isFirst ? "\u{1}mark a\u{2}" : "\u{1}Mark B\u{2}")
      case .data: return .data(Data(isFirst ? [1, 2, 3] : [250, 7]))
      case .date: return .date(Date(timeIntervalSince1970: isFirst ? 86_399.5 : -1_234.25))
      case .uuid: return .uuid(isFirst ? Self.uuids.0 : Self.uuids.1)
      case .url: return URL(string: isFirst ? "mark:a" : "mark:B").map(PropertyValue.url)
      case .codable: return nil
      }
    }

    /// Random values: they only have to differ.
    private static let uuids = (UUID(), UUID())
  }
}

extension ManagedObject {
  /// The property of `keyPath`, found by reading it on temporary objects; nil if it begins at
  /// another class, or reads neither one stored property unchanged nor the ID. The property may be
  /// a related object's, at the end of to-one relationships: `\.country?.name`.
  static func read(by keyPath: AnyKeyPath) -> _PropertyRead? {
    var found: _PropertyRead?
    for marks in SlotRecorder.Marks.allCases {
      guard let read = read(by: keyPath, marks), found == nil || found == read else { return nil }
      found = read
    }
    if case .path = found, !isNilWithoutTarget(keyPath) { return nil }
    return found
  }

  /// A temporary object whose reads are recorded.
  fileprivate static func recording(with recorder: SlotRecorder) -> Self {
    let binding = EntityBinding(
      context: nil, entity: .unbound(entity), type: self, recorder: recorder)
    return self.init(
      _ObjectInitializer(binding: binding, key: ObjectKey(rawValue: 0), status: .detached))
  }

  private static func read(by keyPath: AnyKeyPath, _ marks: SlotRecorder.Marks) -> _PropertyRead? {
    let recorder = SlotRecorder(marks)
    let object = recording(with: recorder)
    guard let value = (object as Any)[keyPath: keyPath] else { return nil }
    guard let slot = recorder.slots.first else {
      return value as? ObjectID == object.objectID ? .objectID : nil
    }
    var owner = entity
    for slot in recorder.slots.dropLast() {
      guard let next = owner.properties[slot].relationship?.destination() else { return nil }
      owner = next
    }
    let isPath = recorder.slots.count > 1
    let declared = recorder.slots.last.flatMap { owner.properties[$0].keyPath }
    let type = Swift.type(of: keyPath).valueType
    guard declared.map({ isType(of: $0, isPath, type) }) ?? !isPath else { return nil }
    let found = isPath ? _PropertyRead.path(recorder.slots) : .slot(slot)
    // Relationships, enums and composites have no marks; no other property has their types.
    guard let value = value as? any AttributeValue else { return found }
    return value.value == recorder.answer ? found : nil
  }

  /// Whether a property's type is `type`, or with a path through a relationship its optional.
  private static func isType(of declared: AnyKeyPath, _ isPath: Bool, _ type: Any.Type) -> Bool {
    func optional<T>(_: T.Type) -> Any.Type { T?.self }
    let own = Swift.type(of: declared).valueType
    if own == type { return !isPath || own is any ExpressibleByNilLiteral.Type }
    return isPath && _openExistential(own, do: optional) == type
  }

  /// Whether the value of `keyPath` is nil if the relationships on it have no targets, as the value
  /// of a path is.
  private static func isNilWithoutTarget(_ keyPath: AnyKeyPath) -> Bool {
    let object = recording(with: SlotRecorder(.first, followsRelationships: false))
    let value = (object as Any)[keyPath: keyPath]
    return value.map { Mirror(reflecting: $0) }.map {
      $0.displayStyle == .optional && $0.children.isEmpty
    } ?? false
  }
}
