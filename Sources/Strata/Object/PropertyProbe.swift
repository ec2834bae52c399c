// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
package import StrataRecord

/// Finds the stored property of a key path by recording one reading of it on a temporary object. It
/// finds that `\Employee.name` is the `name` that Person declares, although the two key paths are
/// not equal.
///
/// A computed property reads stored ones too, `shoutedName` the `name`. It is distinguished from
/// the property itself by its result for marks: values that the recorder gives the object.
package final class SlotRecorder {
  /// The recorded reads, in this order.
  package private(set) var slots: [Int] = []
  /// The last returned value.
  private(set) var answer: PropertyValue?
  private let marks: Marks

  init(_ marks: Marks) { self.marks = marks }

  /// Notes a read of a slot.
  ///
  /// - Returns: the value to read; nil for the value of an empty slot.
  package func read<T: AttributeValue>(_ slot: Int, as _: T.Type = T.self) -> T? {
    slots.append(slot)
    let value = marks.value(of: T.attributeType).flatMap { T(value: $0) }
    answer = value?.value
    return value
  }

  /// Notes that a relationship is read, which leads nowhere.
  package func read(relationship slot: Int) { slots.append(slot) }

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
  /// another class, or reads neither one stored property unchanged nor the ID.
  static func read(by keyPath: AnyKeyPath) -> _PropertyRead? {
    var found: _PropertyRead?
    for marks in SlotRecorder.Marks.allCases {
      guard let read = read(by: keyPath, marks), found == nil || found == read else { return nil }
      found = read
    }
    return found
  }

  private static func read(by keyPath: AnyKeyPath, _ marks: SlotRecorder.Marks) -> _PropertyRead? {
    let recorder = SlotRecorder(marks)
    let binding = EntityBinding(
      context: nil, entity: .unbound(entity), type: self, recorder: recorder)
    let object = self.init(
      _ObjectInitializer(binding: binding, key: ObjectKey(rawValue: 0), status: .detached))
    guard let value = (object as Any)[keyPath: keyPath] else { return nil }
    guard let slot = recorder.slots.first else {
      return value as? ObjectID == object.objectID ? .objectID : nil
    }
    let declared = entity.properties[slot].keyPath.map { type(of: $0).valueType }
    guard recorder.slots.count == 1, declared ?? Any.self == type(of: keyPath).valueType else {
      return nil
    }
    // Relationships, enums and composites have no marks; no other property has their types.
    guard let value = value as? any AttributeValue else { return .slot(slot) }
    return value.value == recorder.answer ? .slot(slot) : nil
  }
}
