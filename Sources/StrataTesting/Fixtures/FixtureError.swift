// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel

/// The mistakes of a fixture, all of them.
public struct FixtureError: Error, Hashable {
  /// A mistake. `object` is the entity and the name of an object, as in `City zurich`, or the
  /// entity and the place in an array, from 1, as in `Language 3`.
  public enum Mistake: Sendable, Hashable {
    // MARK: The text
    /// The text is not JSON. At a byte, counted from 0, it should have what `expected` says.
    case notJSON(offset: Int, expected: String)
    /// A part of the JSON has another form than `expected` says: the part is an entity's name, an
    /// object, or nil for the whole.
    case unfitForm(part: String?, expected: String)
    /// Two objects have the same name.
    case repeatedName(String)

    // MARK: Names of the model
    /// The model has no such entity, or the entity is abstract.
    case unknownEntity(String)
    /// The entity of the object has no property of this name.
    case unknownProperty(object: String, property: String)
    /// The property is derived from others.
    case derivedProperty(object: String, property: String)

    // MARK: Values
    /// The value of a property is not of the form that `expected` says, is not a case of its enum,
    /// or does not decode as its type.
    case unfitValue(object: String, property: String, expected: String)
    /// A relationship leads to a name that no object has.
    case unknownTarget(object: String, property: String, target: String)
    /// A relationship leads to an object of another entity than `expected` and those that inherit
    /// from it.
    case unfitTarget(object: String, property: String, target: String, expected: String)

    /// A to-one relationship leads to several objects, by its own name or by its inverse; or it is
    /// null, and its inverse leads to it. The targets are named as `object` is, and null is "null".
    case severalTargets(object: String, property: String, targets: [String])

    // MARK: Looking up
    /// The fixture has no object of this name, or the object has none.
    case unknownName(String)
  }

  /// All mistakes of the fixture, one at least.
  public let mistakes: [Mistake]

  package init(_ mistakes: [Mistake]) { self.mistakes = mistakes }
}

// Declared beside the type and not beside the texts: nothing refers to a conformance that is found
// at run time, and a linker takes only those files of an archive that something refers to.
extension FixtureError: LocalizedError, CustomStringConvertible, ExplainedError {}
