// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// The objects that a fixture has inserted, by their names.
public struct FixtureObjects: Sendable, Hashable {
  /// The IDs of the objects, by the names that the fixture gives them.
  public let ids: [String: ObjectID]

  /// The ID of the object with a name.
  ///
  /// - Throws: `FixtureError`, if the fixture has no object of this name.
  public subscript(name: String) -> ObjectID {
    get throws(FixtureError) {
      guard let id = ids[name] else { throw FixtureError([.unknownName(name)]) }
      return id
    }
  }
}
