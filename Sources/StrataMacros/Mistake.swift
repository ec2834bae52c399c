// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftDiagnostics
  import SwiftSyntax

  /// All mistakes that the macros report. Each message says what is wrong and what to write
  /// instead.
  enum Mistake {
    // The class.
    case notAClass
    case noSuperclass(String)
    case genericClass(String)
    case reservedClassName(String)

    // A stored property.
    case severalBindings
    case conditional
    case constant(String)
    case observed(String, by: String)
    case lazy(String)
    case unowned(String, modifier: String)
    case redeclared(String)
    case missingType(String)
    case implicitlyUnwrapped(String, instead: String)
    case reservedName(String)
    case defaultOfRelationship(String)
    case defaultPerObject(String, value: String)

    // Mistakes in the position of a marker.
    case misplaced(Marker)
    case markerOnComputed(Marker, String)
    case markerOnStatic(Marker, String)
    case bothMarkers(String)

    // Mistakes in the arguments of `@Attribute`.
    case attributeOfObjects(String, type: String)
    case indexedTransient(option: String)
    case externalWith(option: String)
    case externalOfType(String)
    case unfitRule(String, type: String, fits: String)
    case invalidPattern(String)

    // Mistakes in the arguments of `@Relationship`.
    case relationshipOfValue(String, type: String)
    case relationshipOfCollection(type: String, instead: String)
    case requiredToOne(type: String)
    case symmetricWithInverse
    case symmetricNotToMany(type: String)
    case orderedMismatch(type: String, instead: String)
    case countOfToOne(String)
  }

  // MARK: - Messages

  extension Mistake: DiagnosticMessage {
    var severity: DiagnosticSeverity { .error }

    /// The case's name.
    var diagnosticID: MessageID {
      MessageID(domain: "Strata", id: String("\(self)".prefix { $0 != "(" }))
    }

    var message: String {
      switch self {
      case .notAClass:
        "@Entity belongs on a class that inherits from ManagedObject or from another entity"
      case .noSuperclass(let name):
        "'\(name)' must inherit from ManagedObject or from another entity: write "
          + "'class \(name): ManagedObject'"
      case .genericClass(let name):
        "'\(name)' cannot be generic: an entity is one class with one name; declare a class for "
          + "each type that you need"

      case .reservedClassName(let name):
        "'\(name)' is the name of a protocol of Strata, which the class would hide: give the class "
          + "another name"

      case .severalBindings:
        "write a 'var' of its own for each property of an entity"
      case .conditional:
        "a property of an entity cannot stand in '#if': a store has one model, however the program "
          + "is built; move it out, or make it a computed property"
      case .constant(let name):
        "'\(name)' cannot be a 'let': its value comes from the store; make it a 'var', a 'static "
          + "let' or a computed property"
      case .observed(let name, let observer):
        "'\(name)' cannot have '\(observer)': the value is in the object's record, not in the "
          + "object; put a computed property around it, or do the work where it is set"
      case .lazy(let name):
        "'\(name)' cannot be 'lazy': properties of an entity are loaded when they are first read; "
          + "remove 'lazy', or make it a computed property"
      case .unowned(let name, let modifier):
        "'\(name)' cannot be '\(modifier)': an object does not keep the objects that it is related "
          + "to alive; remove '\(modifier)'"
      case .redeclared(let name):
        "'\(name)' is a property of the superclass and stored there; override it with a computed "
          + "property, or remove it"
      case .missingType(let name):
        "'\(name)' needs its type written out, as in 'var \(name): Int': a macro sees the source, "
          + "not the types that the compiler infers"
      case .implicitlyUnwrapped(let type, let instead):
        "'\(type)' cannot be stored: write '\(instead)'"
      case .reservedName(let name):
        "'\(name)' is a member of ManagedObject: give the property another name"
      case .defaultOfRelationship(let name):
        "'\(name)' cannot have a default value: relationships of a new object are empty; remove it"
      case .defaultPerObject(let name, let value):
        "'\(value)' would be evaluated once, for all objects: a default is part of the model; "
          + "remove it, and set '\(name)' when you make the object"

      case .misplaced(let marker):
        "\(marker) belongs on a stored property of an @Entity class"
      case .markerOnComputed(let marker, let name):
        "\(marker) is for stored properties, and '\(name)' is computed: remove \(marker)"
      case .markerOnStatic(let marker, let name):
        "\(marker) is for the properties of an object, and '\(name)' belongs to the class: remove "
          + "\(marker)"
      case .bothMarkers(let name):
        "'\(name)' cannot be both an attribute and a relationship: remove @Attribute or "
          + "@Relationship"

      case .attributeOfObjects(let name, let type):
        "'\(name)' is a relationship, as its type '\(type)' says: write @Relationship in place of "
          + "@Attribute, or nothing"
      case .indexedTransient(let option):
        "'.transient' and '\(option)' exclude each other: a transient attribute is not stored, and "
          + "so not in an index; remove one"

      case .externalWith(let option):
        "'.external' and '\(option)' exclude each other: the bytes of an external attribute are "
          + "stored beside the object, and are only read when they are asked for; remove one"
      case .externalOfType(let type):
        "'.external' is for Data, not for '\(type)': remove it"

      case .unfitRule(let rule, let type, let fits):
        "'\(rule)' is a rule for \(fits), not for '\(type)': remove it"
      case .invalidPattern(let reason):
        "this is not a regular expression: \(reason)"

      case .relationshipOfValue(let name, let type):
        "'\(type)' is not an entity, so '\(name)' is an attribute: remove @Relationship"
      case .relationshipOfCollection(let type, let instead):
        "a to-many relationship is not a '\(type)': write '\(instead)'"
      case .requiredToOne(let type):
        "a to-one relationship is optional, for its target may be deleted: write '\(type)?'"
      case .symmetricWithInverse:
        "a symmetric relationship is its own inverse: remove 'inverse:' or '.symmetric'"
      case .symmetricNotToMany(let type):
        "'.symmetric' is for ToMany relationships of an entity with itself, not for '\(type)': "
          + "remove it"
      case .orderedMismatch(let type, let instead):
        "'ordered:' contradicts the type '\(type)': write \(instead)"
      case .countOfToOne(let name):
        "'\(name)' has one target at most, so there is nothing to count: write '.required' if it "
          + "must have one"
      }
    }
  }

  /// Where mistakes go: to the compiler, or nowhere.
  ///
  /// ## Isolation
  /// One expansion of a macro; not Sendable.
  final class Report {
    private(set) var count = 0
    private let take: (Diagnostic) -> Void

    init(_ take: @escaping (Diagnostic) -> Void = { _ in }) { self.take = take }

    /// - Parameter remedies: the fixes that an editor may offer.
    func callAsFunction(
      _ mistake: Mistake, at node: some SyntaxProtocol, remedies: [Remedy] = []
    ) {
      count += 1
      take(Diagnostic(node: Syntax(node), message: mistake, fixIts: remedies.map(\.fixIt)))
    }
  }
#endif
