// SPDX-License-Identifier: Apache-2.0
package import StrataPrimitives

/// An entity: a kind of object, its class and its properties. Core Data: `NSEntityDescription`.
///
/// A property's *slot* is its index in `properties`: inherited ones first, then the entity's own in
/// the order of declaration. The accessors that `@Entity` writes use slots; so does one written by
/// hand.
///
/// ## Isolation
/// Sendable: constant. A lock guards the table of the key paths that were read so far.
public final class EntityDescription: Sendable {
  /// The name, which is unique in a model: the class's name if the class is an `@Entity`.
  public let name: String
  /// Whether the entity only declares properties for its subentities and has no objects of its own.
  public let isAbstract: Bool
  /// The entity that this one inherits from, or nil. Also nil if the entity would be on another
  /// level than the first `levelsMax`: no model accepts such an entity, and its chain of
  /// superentities is cut, so that walks along a chain and its release are short.
  public let superentity: EntityDescription?
  /// The number of entities from the root of the hierarchy to this one, both included. At most
  /// `levelsMax + 1`, which stands for any larger number.
  package let levels: Int
  /// The maximum of `levels` in a model.
  package static let levelsMax = 64
  /// The name that the entity had in the model before this one, or nil if it is the same. Core
  /// Data: `renamingIdentifier`.
  public let originalName: String?
  /// The class of its objects, a subclass of `ManagedObject`.
  public let managedObjectClass: AnyClass
  /// All properties, by slot.
  public let properties: [PropertyDescription]
  /// The slot of the first property that the entity declares itself.
  public let firstOwnSlot: Int
  /// The life cycle methods that are called on its objects, including those of `superentity`.
  public let hooks: _LifeCycleHooks
  /// The sets of properties, by name, whose values no two objects of the entity have together,
  /// subentities included: those that the entity declares itself. Single attributes are `.unique`.
  /// Core Data: `uniquenessConstraints`.
  public let uniqueTogether: [[String]]
  /// The lists of properties, by name, that indexes are kept over, subentities' objects among them:
  /// those that the entity declares itself. Single attributes are `.indexed`. Core Data: `indexes`.
  public let indexes: [[String]]

  /// Finds the property of a key path by reading it on a recording object: an inherited property's
  /// key path from the subclass (`\Employee.name`) equals no declared one.
  private let probe: (@Sendable (AnyKeyPath) -> _PropertyRead?)?
  private let reads: KeyPathReads

  /// - Parameters:
  ///   - superentity: nil for the root of a hierarchy.
  ///   - hooks: the life cycle methods that the class overrides; `.all` if they are unknown.
  ///   - uniqueTogether: sets of two or more attributes and to-one relationships, including
  ///     inherited ones, whose values no two objects have together. An object with nil in one of
  ///     them equals no other. An index keeps them in the order of the names.
  ///   - indexes: lists of two or more attributes and to-one relationships, including inherited
  ///     ones, each of which gets an index: it is ordered by the first property, where that is
  ///     equal of the second, and so on.
  ///   - originalName: the name in the previous model; nil if it is the same.
  ///   - properties: the entity's own; those of `superentity` are put before them.
  ///   - probe: returns the property of a key path that is not declared in `properties`; nil if
  ///     there are none.
  public init(
    _ name: String, class managedObjectClass: AnyClass, isAbstract: Bool = false,
    superentity: EntityDescription? = nil, hooks: _LifeCycleHooks = .all,
    uniqueTogether: [[String]] = [], indexes: [[String]] = [], originalName: String? = nil,
    properties: [PropertyDescription],
    probe: (@Sendable (AnyKeyPath) -> _PropertyRead?)? = nil
  ) {
    self.name = name
    self.originalName = originalName
    self.isAbstract = isAbstract
    levels = min((superentity?.levels ?? 0) + 1, Self.levelsMax + 1)
    let superentity = levels > Self.levelsMax ? nil : superentity
    self.superentity = superentity
    self.managedObjectClass = managedObjectClass
    self.hooks = hooks.union(superentity?.hooks ?? [])
    self.uniqueTogether = uniqueTogether
    self.indexes = indexes
    let inherited = superentity?.properties ?? []
    firstOwnSlot = inherited.count
    let all = inherited + properties
    self.properties = all
    self.probe = probe
    reads = KeyPathReads(all.map(\.keyPath))
  }

  /// The properties that the entity declares itself.
  public var ownProperties: ArraySlice<PropertyDescription> { properties[firstOwnSlot...] }

  /// The slot of the property called `name`, or nil.
  ///
  /// - Complexity: O(properties).
  public func slot(named name: String) -> Int? { properties.firstIndex { $0.name == name } }

  /// The slot of the property that `keyPath` reads, or nil if it reads no stored property of this
  /// entity.
  ///
  /// - Complexity: O(1), except for the first use of a key path.
  public func slot(for keyPath: AnyKeyPath) -> Int? {
    guard case .slot(let slot)? = reads.read(by: keyPath, probe) else { return nil }
    return slot
  }

  /// The slots of to-one relationships and of the property at their end that `keyPath` reads; nil
  /// if it reads no property of a related object. O(1), except for the first use of a key path.
  package func path(for keyPath: AnyKeyPath) -> [Int]? {
    guard case .path(let path)? = reads.read(by: keyPath, probe) else { return nil }
    return path
  }

  /// Whether `keyPath` reads the object's own ID.
  package func readsObjectID(_ keyPath: AnyKeyPath) -> Bool {
    type(of: keyPath).valueType == ObjectID.self && reads.read(by: keyPath, probe) == .objectID
  }

  /// How often and how long threads have waited for each other in `slot(for:)`.
  package var keyPathWaits: LockWaits { reads.waits }

  /// The entity at the root of the hierarchy; itself if it inherits from none.
  public var rootEntity: EntityDescription {
    var root = self
    while let above = root.superentity { root = above }
    return root
  }

  /// Whether this is `entity` or one that inherits from it. Core Data: `isKindOf(entity:)`.
  public func isKind(of entity: EntityDescription) -> Bool {
    var next: EntityDescription? = self
    while let one = next {
      if one === entity { return true }
      next = one.superentity
    }
    return false
  }

  /// The entity and those that it inherits from, itself first.
  package var lineage: [EntityDescription] {
    var lineage = [self]
    while let above = lineage[lineage.count - 1].superentity { lineage.append(above) }
    return lineage
  }
}

/// The part of an object that a key path reads.
public enum _PropertyRead: Sendable, Hashable {
  /// The stored property in this slot, as it is.
  case slot(Int)
  /// The stored property at the end of to-one relationships: the slot of each, then its own.
  case path([Int])
  /// The object's ID.
  case objectID
}
