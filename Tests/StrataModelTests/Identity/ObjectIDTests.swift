// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import Testing

@Suite struct `An object ID` {
  private let id = ObjectID(
    store: StoreIdentity(UUID()), key: ObjectKey(entity: EntityNumber(rawValue: 7), serial: 42))

  @Test func `comes back from its URI`() {
    #expect(ObjectID(uriRepresentation: id.uriRepresentation) == id)
  }

  @Test func `comes back from its encoded form`() throws {
    let data = try JSONEncoder().encode([id])
    #expect(try JSONDecoder().decode([ObjectID].self, from: data) == [id])
  }

  @Test func `holds its entity and serial in eight bytes`() {
    #expect(id.key.entity.rawValue == 7)
    #expect(id.key.serial == 42)
    let last = ObjectKey(entity: EntityNumber(rawValue: .max), serial: ObjectKey.serialMax)
    #expect(last.rawValue == .max)
  }

  @Test func `of another store with the same serial is another ID`() {
    let other = ObjectID(store: StoreIdentity(UUID()), key: id.key)
    #expect(other != id)
  }

  @Test(arguments: [
    "http://example.com/1/2", "x-strata://not-a-uuid/1/2",
    "x-strata://4B4B0B3C-3B3E-4A67-8E0C-7A7D5AA6E5B1/1",
    "x-strata://4B4B0B3C-3B3E-4A67-8E0C-7A7D5AA6E5B1/0/2",
    "x-strata://4B4B0B3C-3B3E-4A67-8E0C-7A7D5AA6E5B1/1/281474976710656",
    "x-strata://4B4B0B3C-3B3E-4A67-8E0C-7A7D5AA6E5B1/70000/2",
    "x-strata://4B4B0B3C-3B3E-4A67-8E0C-7A7D5AA6E5B1/1/2/3",
  ])
  func `is not made of a URI that is none of an object`(uri: String) throws {
    #expect(ObjectID(uriRepresentation: try #require(URL(string: uri))) == nil)
  }
}
