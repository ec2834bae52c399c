// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Strata
import StrataDump

/// Objects that a test begins with: from JSON, or made by code.
///
/// In JSON, entities have their objects by name, and relationships lead to names:
///
/// ```json
/// {
///   "Country": { "switzerland": { "iso": "CH", "neighbours": ["italy"] },
///                "italy": { "iso": "IT" } },
///   "City": { "zurich": { "name": "Zürich", "population": 421878, "country": "switzerland" } },
///   "Language": [ { "code": "de", "countries": ["switzerland"] } ]
/// }
/// ```
///
/// An entity whose objects need no names has them in an array. A property that is left out has the
/// value of a new object. A relationship may lead to an object further down; the inverse is set
/// too.
///
/// | type | in JSON |
/// | --- | --- |
/// | integers, `float`, `double`, `decimal` | a number |
/// | `bool` | true or false |
/// | `string`, `uuid`, `url` | a string |
/// | `date` | an ISO 8601 string with a time zone, or the seconds since 2001 as a number |
/// | `data` | a string in base 64 |
/// | an enum with raw values | the raw value |
/// | `codable` | the JSON of the value, from which its type decodes |
/// | any optional | null for no value |
/// | to-one relationship | the name of an object, or null |
/// | to-many relationship | an array of names, in the order of an ordered one |
///
/// A value is decoded as the type of the property and encoded as a setter does it: code that sets
/// the value gives the same stored bytes. An attribute without a key path, as in a model without
/// classes, stores the JSON of a `codable` value with its members sorted.
///
/// Objects are inserted in the order of the JSON, so their serials are the same each time.
public struct Fixture: Sendable {
  private enum Content: Sendable {
    case document(FixtureDocument)
    case code(@Sendable (ManagedObjectContext) throws -> [String: ManagedObject])
  }

  private let content: Content

  /// Objects from JSON.
  ///
  /// - Throws: `FixtureError`, if the text is not JSON or has another form. Names of entities and
  ///   properties are checked when the fixture is inserted.
  public init(json: Data) throws(FixtureError) {
    content = .document(try FixtureDocument(json))
  }

  /// Objects from a file with JSON.
  ///
  /// - Throws: as `init(json:)`; the errors of reading the file.
  public init(contentsOf url: URL) throws {
    try self.init(json: Data(contentsOf: url))
  }

  /// Objects that code inserts.
  ///
  ///     let fixture = Fixture { context in
  ///       let italy = Country(context: context)
  ///       italy.iso = "IT"
  ///       return ["italy": italy]
  ///     }
  ///
  /// - Parameter insert: inserts objects into the context, and returns those that get a name. It
  ///   does not save.
  public init(
    _ insert: @escaping @Sendable (ManagedObjectContext) throws -> [String: ManagedObject]
  ) {
    content = .code(insert)
  }

  /// Inserts the objects into a context, which does not save them.
  ///
  /// - Throws: `FixtureError` with every mistake of JSON, and nothing is inserted; the errors of
  ///   the code of a fixture.
  @discardableResult
  public func insert(into context: ManagedObjectContext) throws -> FixtureObjects {
    switch content {
    case .document(let document):
      try FixtureInsertion(document, context.coordinator.schema).insert(into: context)
    case .code(let insert):
      FixtureObjects(ids: try insert(context).mapValues(\.objectID))
    }
  }

  /// Inserts the objects into a container's store, and saves them to it. The container's contexts
  /// see them as saves of others.
  ///
  /// - Throws: as `insert(into:)` of a context, and as `ManagedObjectContext.save()`, which checks
  ///   the rules of the model.
  @discardableResult
  public func insert(into container: PersistentContainer) throws -> FixtureObjects {
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let objects = try insert(into: context)
      try context.save()
      return objects
    }
  }
}
