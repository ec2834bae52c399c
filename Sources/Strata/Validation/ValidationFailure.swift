// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// One reason why an object may not be saved: a rule of the model that it breaks, a value that
/// cannot be stored, or a hook of its class that has refused. Core Data: one of the errors in
/// `NSDetailedErrorsKey`.
public struct ValidationFailure: Sendable {
  /// The object that may not be saved.
  public let objectID: ObjectID
  /// The name of the object's entity.
  public let entity: String
  /// The property that breaks a rule; nil if a hook has refused the object.
  public let property: String?
  /// The rule that the object breaks.
  public let rule: Rule
  /// The value that breaks the rule. For an attribute it is the attribute's value, and for an
  /// external one the length in bytes. For a rule of a relationship it is the number of members, or
  /// `.null` for a missing target. For a value that is too large it is the number of bytes. `.null`
  /// for a hook, and for a value that could not be encoded.
  public let value: PropertyValue
  /// The error of the hook, or of a value's `encode(to:)`; nil for other rules.
  public let error: (any Error)?

  package init(
    objectID: ObjectID, entity: String, property: String?, rule: Rule, value: PropertyValue,
    error: (any Error)?
  ) {
    self.objectID = objectID
    self.entity = entity
    self.property = property
    self.rule = rule
    self.value = value
    self.error = error
  }

  /// The rule that the object breaks.
  public enum Rule: Sendable, Hashable {
    /// A rule of an attribute.
    case attribute(AttributeRule)
    /// A relationship must not be empty.
    case required
    /// How many members a relationship must have if it has any. A nil `max` is no bound.
    case count(min: Int, max: Int?)
    /// The property was given a value that is too large to be stored, or too large beside the
    /// object's other values. The number is the largest number of bytes. The property has kept the
    /// value that it had, and is refused until it is set again.
    case byteCount(max: Int)
    /// The property was given a `Codable` value whose `encode(to:)` throws. The property has kept
    /// the value that it had, and is refused until it is set again.
    case encodable
    /// The class's own validation.
    case hook(Hook)
    /// A validation method changed, inserted or deleted an object, which it must not do. Make the
    /// change in `willSave`.
    case unchanged(by: Hook)
  }

  /// The method of a class that says whether an object may be saved.
  public enum Hook: String, Sendable, Hashable {
    /// `ManagedObject.validateForInsert()`.
    case validateForInsert
    /// `ManagedObject.validateForUpdate()`.
    case validateForUpdate
    /// `ManagedObject.validateForDelete()`.
    case validateForDelete
  }
}

extension ValidationFailure: Hashable {
  /// Two failures are equal if they have the same object, property, rule and value, and errors of
  /// hooks have one type and one description.
  public static func == (left: ValidationFailure, right: ValidationFailure) -> Bool {
    left.objectID == right.objectID && left.property == right.property && left.rule == right.rule
      && left.value == right.value && left.printedError == right.printedError
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(objectID)
    hasher.combine(property)
    hasher.combine(rule)
  }

  private var printedError: String? { error.map { "\(type(of: $0)) \($0)" } }
}

extension ValidationFailure: CustomStringConvertible {
  /// The property, the object and the rule, without the value. The error of a hook is only named by
  /// its type, because its text may have values.
  public var description: String {
    var sentence = message
    if case .hook = rule, let error {
      sentence = "The object's own validation failed, with an error of the type \(type(of: error))."
    }
    return "\(entity).\(property ?? hookName) of \(objectID): \(sentence)"
  }

  /// The remedy, in a sentence without the object and the value; of a hook the text of its error,
  /// for the user of the program.
  public var message: String {
    switch rule {
    case .attribute(.required): "It must have a value: set one."
    case .attribute(.length(let min, let max)):
      "It must be \(Self.span(min, max)) long, in characters, or bytes if it is data."
    case .attribute(.range(nil, let max)): "It must be at most \(max?.plain ?? "its bound")."
    case .attribute(.range(let min?, nil)): "It must be at least \(min.plain)."
    case .attribute(.range(let min?, let max?)):
      "It must be between \(min.plain) and \(max.plain)."
    case .attribute(.matches(let pattern)): "It must match \(pattern) as a whole."
    case .required: "It must not be empty: relate an object to this one, or delete this one."
    case .count(let min, let max): "It must have \(Self.span(min, max)) members, or none."
    case .byteCount(let max):
      "It was set to a value that is too large: at most \(max) bytes can be stored. It keeps the "
        + "value that it had until it is set again."
    case .encodable:
      "It was set to a value that does not encode itself. It keeps the value that it had until it "
        + "is set again."
    case .hook: "The object's own validation failed: \(error.map { "\($0)" } ?? "")"
    case .unchanged: "It changed objects, and may only read them: change them in willSave."
    }
  }

  private var hookName: String {
    switch rule {
    case .hook(let hook), .unchanged(let hook): hook.rawValue + "()"
    default: ""
    }
  }

  private static func span(_ min: Int, _ max: Int?) -> String {
    switch max {
    case nil: "\(min) or more"
    case min: "\(min)"
    case let max?: min == 0 ? "at most \(max)" : "\(min) to \(max)"
    }
  }
}
