// SPDX-License-Identifier: Apache-2.0

/// An option of an attribute, for `@Attribute` and for descriptions by hand.
public enum AttributeOption: Sendable, Hashable {
  /// No two objects of the entity, subentities included, have the same value. Implies `.indexed`;
  /// nil counts as no value and may repeat. Checked when a save reaches the store.
  case unique
  /// Fetches that compare or sort by the attribute use an index.
  case indexed
  /// Fetches that search the text for words use an index: `$0.text.contains(words: "swift sto*")`,
  /// and `relevance(to:)` ranks the objects that they find.
  ///
  /// For `String` and `String?` alone, and not with `.transient`. It may also be `.indexed`, for
  /// comparisons and order: the two indexes have nothing in common. The index of words has an entry
  /// for each different word of each text. SQLite: FTS5; Realm: `FullText`.
  case fullText
  /// Tracked and pushed to parents, never stored. Core Data: transient.
  case transient
  /// A rule that the value must satisfy when a context saves the object: `.required`,
  /// `.length(1...80)`, `.range(0...130)`, `.matches("[A-Z]{2}")`. No part of the stored data.
  case rule(AttributeRule)
  /// Two changes of the value become one instead of being a conflict: `.merges(.sum)`. No part of
  /// the stored data.
  case merges(MergeRule)
  /// The value is worked out from others by the save that reaches the store, and cannot be set:
  /// `.derived(.count("cities"))`.
  case derived(AttributeDerivation)
  /// For `Data` that may be large, a picture or a document: its bytes are stored beside the object.
  /// Loading the object, fetching by its other properties and saving these read none of them.
  ///
  /// - Reading the property copies the bytes out of the store, each time, without caching. Read it
  ///   once and keep the result, if you need it more than once. It returns the store's value at the
  ///   time of reading, as when a fault fires, also for an object that was loaded before.
  /// - Setting it reads the bytes through once. They are kept until the save that reaches the store
  ///   has written them, and are never copied before. Equal bytes are not a change.
  /// - With an undo manager, replacing the value or deleting the object reads the former bytes.
  /// - A predicate can test whether there is a value, and nothing else. The rules `.required` and
  ///   `.length` apply to it, and read nothing.
  /// - Keep small values in the object: an external value costs an entry of its own in the store,
  ///   16 bytes in the object and a look-up. The maximum is 4 GiB - 1.
  ///
  /// For `Data` and `Data?` alone, and neither with `.unique`, `.indexed` or `.transient` nor
  /// derived or the source of a derivation. Core Data: `allowsExternalBinaryDataStorage`.
  case external
  /// The history of a store keeps the value of a deleted object: `HistoryChange.tombstone`. For
  /// values that others know the object by, such as the identifier of a server.
  ///
  /// It changes nothing in a store that keeps no history, and applies to deletions from the save
  /// after it was added to the model. Neither with `.external` nor with `.transient`. SwiftData:
  /// `preserveValueOnDeletion`; Core Data: `preservesValueInHistoryOnDeletion`.
  case preserveValueOnDeletion
}

/// An attribute: a value that an object itself holds. Core Data: `NSAttributeDescription`.
public struct AttributeDescription: Sendable {
  private struct Contents {
    let name: String
    let keyPath: (AnyKeyPath & Sendable)?
    let defaultValue: PropertyValue
    let options: Set<AttributeOption>
    let originalName: String?
  }

  private let contents: ValueBox<Contents>
  /// How the value is stored. Core Data: `type`.
  public let type: AttributeType
  /// Whether nil is a value. An attribute that is not optional and has no default reads as the
  /// type's zero until it is set.
  public let isOptional: Bool
  /// Whether the Swift type has no zero that an unset value could read as: enums, URLs and
  /// `Codable` structs. Such an attribute is optional or has a default.
  public let needsDefault: Bool

  // The evaluated options: searching for one takes some hundred instructions, and opening a store
  // needs each several times.
  /// Whether no two objects of the entity have the same value: the option `.unique`.
  public let isUnique: Bool
  /// Whether fetches can use an index: the option `.indexed`, or `.unique`.
  public let isIndexed: Bool
  /// Whether the value is never stored: the option `.transient`. Core Data: `isTransient`.
  public let isTransient: Bool
  /// Whether the bytes are stored beside the object. Core Data: `allowsExternalBinaryDataStorage`.
  public let isExternal: Bool
  /// Whether the words of the text have an index.
  public let isFullText: Bool
  private let hasOptions: Bool

  /// - Parameters:
  ///   - name: 1 to 255 bytes of UTF-8 (`ModelError.unfitName`).
  ///   - keyPath: the key path of the Swift property, from the class that declares it.
  ///   - isOptional: whether nil is a value.
  ///   - defaultValue: the value of a new object, of this type; `.null` for none.
  ///   - originalName: the name in the previous model; nil if it is the same.
  ///   - needsDefault: whether the Swift type has no zero; nil to derive it from `type`: URLs and
  ///     encoded values have none. An enum that is stored as a text or a number has none either.
  public init(
    _ name: String, keyPath: (AnyKeyPath & Sendable)? = nil, type: AttributeType,
    isOptional: Bool = false, defaultValue: PropertyValue = .null,
    options: Set<AttributeOption> = [],
    originalName: String? = nil, needsDefault: Bool? = nil
  ) {
    contents = ValueBox(
      Contents(
        name: name, keyPath: keyPath, defaultValue: defaultValue, options: options,
        originalName: originalName))
    self.type = type
    self.isOptional = isOptional
    self.needsDefault = needsDefault ?? (type == .url || type == .codable)
    isUnique = options.contains(.unique)
    isIndexed = isUnique || options.contains(.indexed)
    isTransient = options.contains(.transient)
    isExternal = options.contains(.external)
    isFullText = options.contains(.fullText)
    hasOptions = !options.isEmpty
  }

  /// The name, which is unique among the properties of the entity.
  public var name: String { contents.value.name }

  /// The key path of the Swift property, from the class that declares it.
  public var keyPath: (AnyKeyPath & Sendable)? { contents.value.keyPath }

  /// The value of a new object; `.null` for none.
  public var defaultValue: PropertyValue { contents.value.defaultValue }

  /// The options that the description was made with.
  public var options: Set<AttributeOption> { contents.value.options }

  /// The name that the attribute had in the model before this one, or nil if it is the same.
  /// Core Data: `renamingIdentifier`.
  public var originalName: String? { contents.value.originalName }

  /// Whether the history of a store keeps the value of a deleted object. Core Data:
  /// `preservesValueInHistoryOnDeletion`.
  public var preservesValueOnDeletion: Bool {
    hasOptions && options.contains(.preserveValueOnDeletion)
  }

  /// The source of a derived value; nil for an attribute that is set.
  public var derivation: AttributeDerivation? {
    if !hasOptions { return nil }
    return options.lazy.compactMap { if case .derived(let source) = $0 { source } else { nil } }
      .first
  }

  /// How two changes of the value become one; nil if the merge policy decides between them.
  public var mergeRule: MergeRule? {
    if !hasOptions { return nil }
    return options.lazy.compactMap { if case .merges(let rule) = $0 { rule } else { nil } }.first
  }

  /// The rules that the value must satisfy when a context saves the object. Core Data:
  /// `validationPredicates`.
  public var rules: [AttributeRule] {
    if !hasOptions { return [] }
    return options.compactMap { if case .rule(let rule) = $0 { rule } else { nil } }
      .sorted { $0.description < $1.description }
  }
}
