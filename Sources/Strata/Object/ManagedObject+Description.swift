// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

// How an object is printed and dumped: by its values in memory. Nothing is loaded, the other
// objects of the graph are named by their IDs, and lengths are bounded. So printing an object in a
// debugger changes nothing, and does not print the whole graph.

extension ManagedObject: CustomStringConvertible, CustomReflectable {
  /// The ID, the state, and the properties as `description` shows them: for `dump` and debuggers.
  /// Other objects are shown by their IDs.
  public final var customMirror: Mirror {
    var children: [Mirror.Child] = [("objectID", PrintedValue(.object(objectID)))]
    if let printedState { children.append(("state", printedState)) }
    for (name, value) in printedValues { children.append((name, value)) }
    return Mirror(
      self, children: children, displayStyle: .class, ancestorRepresentation: .suppressed)
  }

  /// The text of `description`, for classes that do not override it.
  final var printedDescription: String {
    let values = printedValues
    var parts = [printedState].compactMap { $0 } + values.map { "\($0.name): \($0.value)" }
    let hiddenCount = binding.entity.description.properties.count { $0.isPrinted } - values.count
    if hiddenCount > 0, !values.isEmpty { parts.append("and \(hiddenCount) more") }
    let name = "\(binding.entity.description.name) \(objectID)"
    return parts.isEmpty ? name : "\(name) (\(parts.joined(separator: ", ")))"
  }

  /// The object's state in one word; nil for a clean object.
  private var printedState: String? {
    switch status {
    case .gone: "gone"
    case .detached: "detached"
    case _ where !binding.hasContext: "without context"
    case .inserted: "inserted"
    case .deleted: "deleted"
    case .updated: "updated"
    case .clean: isFault ? "fault" : nil
    }
  }

  /// The attributes and to-one targets in memory, as many as are shown; empty for a fault.
  private var printedValues: [(name: String, value: PrintedValue)] {
    guard isAlive, draft != nil || record != nil else { return [] }
    let properties = binding.entity.description.properties
    return properties.indices.lazy.filter { properties[$0].isPrinted }
      .prefix(PrintedValue.countMax).map { (properties[$0].name, PrintedValue(of: self, at: $0)) }
  }
}

extension PropertyDescription {
  fileprivate var isPrinted: Bool { relationship?.isToMany != true }
}

/// A value as descriptions of objects show it: on one line, and of limited length.
struct PrintedValue: CustomStringConvertible, CustomReflectable {
  /// How many properties of an object are shown.
  static let countMax = 32
  /// How many characters of a text are shown.
  static let characterCountMax = 80

  let description: String

  /// The value of an attribute or a to-one relationship in memory.
  init(of object: ManagedObject, at slot: Int) {
    let (entity, layout) = (object.binding.entity, object.binding.layout)
    let (draft, record) = (object.draft, object.record)
    if layout.externalSlots.contains(slot) {
      let isSet = draft?.changed.contains(slot) == true
      let stamp = isSet ? draft?.external[slot]?.stamp : record?.stamp(at: slot, layout)
      self.init(byteCount: stamp.map { Int(clamping: $0.byteCount) })
      return
    }
    var value = draft?.value(at: slot, store: entity.store)
    value = value ?? record?.value(at: slot, layout: layout, store: entity.store)
    if value == nil || value == .null {
      let attribute = entity.description.properties[slot].attribute
      let isFalse = attribute.map { $0.type == .bool && !$0.isOptional } ?? false
      value = isFalse ? .bool(false) : attribute?.unsetValue
    }
    self.init(value ?? .null)
  }

  /// - Parameter byteCount: how many bytes the value has; nil if there is no value.
  init(byteCount: Int?) {
    description = byteCount.map(Self.bytes) ?? "nil"
  }

  init(_ value: PropertyValue) {
    switch value {
    case .null: description = "nil"
    case .bool(let value): description = "\(value)"
    case .int(let value): description = "\(value)"
    case .uint(let value): description = "\(value)"
    case .double(let value): description = "\(value)"
    case .decimal(let value): description = "\(value)"
    case .date(let value): description = "\(value)"
    case .uuid(let value): description = "\(value)"
    case .object(let value): description = value.named
    case .data(let value), .codable(let value): description = Self.bytes(value.count)
    case .string(let value): description = Self.cut(value)
    case .url(let value): description = Self.cut(value.absoluteString)
    }
  }

  /// No children: `dump` shows the text.
  var customMirror: Mirror { Mirror(self, children: [Mirror.Child]()) }

  private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  private static func cut(_ text: String) -> String {
    let shown = String(reflecting: String(text.prefix(characterCountMax)))
    return text.dropFirst(characterCountMax).isEmpty ? shown : shown + "…"
  }
}
