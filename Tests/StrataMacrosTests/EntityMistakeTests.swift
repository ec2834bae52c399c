// SPDX-License-Identifier: Apache-2.0

#if Macros
  import Testing

  @Suite struct `A class that cannot be an entity` {
    @Test(arguments: ["struct", "enum", "actor"])
    func `because it is none is refused at its keyword`(keyword: String) {
      #expect(
        Expansion("@Entity \(keyword) City {}").mistakes == [
          "1:9 @Entity belongs on a class that inherits from ManagedObject or from another entity"
        ])
    }

    @Test(arguments: ["", ": Codable", ": Identifiable, Hashable"])
    func `for it has no superclass is refused at its name`(inheritance: String) {
      #expect(
        Expansion("@Entity class City\(inheritance) { var name: String }").mistakes == [
          "1:15 'City' must inherit from ManagedObject or from another entity: write "
            + "'class City: ManagedObject'"
        ])
    }

    @Test func `for it is generic is refused at its parameters`() {
      #expect(
        Expansion("@Entity class Box<T>: ManagedObject { var name: String }").mistakes == [
          "1:18 'Box' cannot be generic: an entity is one class with one name; declare a class for "
            + "each type that you need"
        ])
    }

    @Test func `for it hides the protocol is refused at its name`() {
      #expect(
        Expansion("@Entity class Entity: ManagedObject { var name: String }").mistakes == [
          "1:15 'Entity' is the name of a protocol of Strata, which the class would hide: give the "
            + "class another name"
        ])
    }

    @Test func `gets no members, and accessors that hide consequential errors`() {
      let text = Expansion("@Entity class City { var name: String }").text
      #expect(text.contains("fatalError()"))
      #expect(!text.contains("_slotBase_"))
      #expect(!text.contains("extension"))
    }

    @Test(arguments: [
      ("@Entity class A {}", "@Entity class A: ManagedObject {}"),
      ("@Entity class A: Codable {}", "@Entity class A: ManagedObject, Codable {}"),
    ])
    func `can be given its superclass`(source: String, remedied: String) {
      #expect(Expansion(source).remedied == remedied)
    }
  }
#endif
