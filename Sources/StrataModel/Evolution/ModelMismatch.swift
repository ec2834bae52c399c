// SPDX-License-Identifier: Apache-2.0

/// A difference between a store's model and a program's that cannot be bridged by inference: the
/// program has to name the future of the data.
public struct ModelMismatch: Sendable, Hashable {
  /// The differences that inference does not bridge.
  public enum Kind: Sendable, Hashable {
    /// The store has the entity, or data of the property, and the program's model has no place for
    /// it. For a property of a superentity: one of its subentities lost the property, and others
    /// keep it.
    case removed
    /// The store has the entity, or data of the property, and the program's model gives its name to
    /// the data of another one, by an `originalName`.
    case replaced(by: String)
    /// The program's model does not have the entity any more, which inherited from another one, and
    /// the store has objects of it.
    case removedWithObjects
    /// A new attribute is not optional and has no default.
    case missingDefault
    /// An attribute is not optional any more and has no default for objects without a value.
    case missingDefaultForNil
    /// An attribute has another type, which cannot hold all values of the former one.
    case changedType(from: AttributeType, to: AttributeType)
    /// An attribute is an external one now, or is no longer.
    case changedStorage
    /// A new attribute is derived: its values would have to be worked out for all objects.
    case newDerivation
    /// A relationship has another number of targets, destination or inverse.
    case changedRelationship
    /// An attribute is a relationship now, or the other way round.
    case changedKind
    /// The entity is abstract now, and the store may have objects of it.
    case becameAbstract
    /// Two entities or properties of the model continue the same stored one: both have its name as
    /// `originalName`, or one of them continues it already.
    case ambiguousOriginalName(String)
    /// The store has the entity or property and the one of its `originalName`, and was last used by
    /// an earlier release, which did not note the former names that it had carried out. So its data
    /// may already be under its present name, or wait under its former one.
    case unknownOriginalName(String)
  }

  /// The name in the program's model; in the store's if it was removed.
  public let entity: String
  /// Nil if the difference concerns the entity itself.
  public let property: String?
  /// The kind of the difference.
  public let kind: Kind

  package init(_ entity: String, property: String? = nil, _ kind: Kind) {
    self.entity = entity
    self.property = property
    self.kind = kind
  }
}

extension ModelMismatch: CustomStringConvertible {
  /// The difference and its remedy, in sentences.
  public var description: String { "\(difference) \(remedy)" }

  /// The name with the entity's before it, as `removing:` and `converting:` take it.
  private var name: String { property.map { "\(entity).\($0)" } ?? entity }

  /// The difference, in a sentence that begins with a fixed word.
  package var reason: String {
    "The \(property == nil ? "entity" : "property") \(difference)"
  }

  /// The difference, in a sentence that begins with the name.
  private var difference: String {
    switch kind {
    case .removed: "\(name) is in the store and not in the model."
    case .replaced(let former):
      "\(name) is in the store, and in the model its name continues \"\(former)\"."
    case .removedWithObjects:
      "\(name) is not in the model, and the store has objects of it that inherit from another "
        + "entity."
    case .missingDefault: "\(name) is new and has no default."
    case .missingDefaultForNil: "\(name) was optional, and objects may have no value."
    case .changedType(let former, let type):
      "\(name) had the type \(former) and has \(type)."
    case .changedStorage: "\(name) changed between .external and not."
    case .newDerivation: "\(name) is derived, and existing objects have no value yet."
    case .changedRelationship: "\(name) has another destination, inverse or number of targets."
    case .changedKind: "\(name) was an attribute and is a relationship, or the other way round."
    case .becameAbstract: "\(name) is abstract, and the store may have objects of it."
    case .ambiguousOriginalName(let former):
      "\(name) and another continue \"\(former)\" of the store."
    case .unknownOriginalName(let former):
      "\(name) has the originalName \"\(former)\", the store has both, and an earlier release did "
        + "not note whether \(name) has the data of \"\(former)\" already."
    }
  }

  /// The next step, in a sentence that names the entity or the property.
  package var remedy: String {
    let orConvert = "or set it in a stage of a migration: converting: [\"\(name)\"]."
    return switch kind {
    case .removed, .replaced:
      "Name \(name) in the originalName of what it is now, or allow to delete its data: removing: "
        + "[\"\(name)\"]."
    case .removedWithObjects: "Delete the objects of \(name) with the former program first."
    case .missingDefault: "Give \(name) a default, make it optional, " + orConvert
    case .missingDefaultForNil: "Give \(name) a default, leave it optional, " + orConvert
    case .changedType, .changedStorage, .changedRelationship, .changedKind:
      "Declare \(name) under a new name, " + orConvert
    case .newDerivation: "Declare \(name) optional and not derived."
    case .becameAbstract: "Leave \(name) concrete."
    case .ambiguousOriginalName(let former):
      "Give \"\(former)\" to one of them, and leave out an originalName that the store has carried "
        + "out."
    case .unknownOriginalName:
      "If the data is under the right names, leave the originalName out, or keep it only in the "
        + "model of a stage that begins with an earlier model. Otherwise move it by a third name, "
        + "in the model of a stage\(property == nil ? "." : ", \(orConvert)")"
    }
  }
}
