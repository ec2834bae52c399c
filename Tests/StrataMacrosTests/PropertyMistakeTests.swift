// SPDX-License-Identifier: Apache-2.0

#if Macros
  import Testing

  /// An entity with `declaration` alone in its second line, after two spaces.
  private func entity(_ declaration: String) -> Expansion {
    Expansion("@Entity class Thing: ManagedObject {\n  \(declaration)\n}")
  }

  @Suite struct `A stored property of an entity` {
    @Test(arguments: [
      (
        "var age = 0",
        "2:7 'age' needs its type written out, as in 'var age: Int': a macro sees the source, not "
          + "the types that the compiler infers"
      ),
      (
        "let age: Int",
        "2:3 'age' cannot be a 'let': its value comes from the store; make it a 'var', a 'static "
          + "let' or a computed property"
      ),
      ("var a: Int, b: Int", "2:15 write a 'var' of its own for each property of an entity"),
      ("var (a, b): (Int, Int)", "2:7 write a 'var' of its own for each property of an entity"),
      (
        "var age: Int = 0 { didSet {} }",
        "2:22 'age' cannot have 'didSet': the value is in the object's record, not in the "
          + "object; put a computed property around it, or do the work where it is set"
      ),
      (
        "var age: Int { willSet {} didSet {} }",
        "2:18 'age' cannot have 'willSet': the value is in the object's record, not in the "
          + "object; put a computed property around it, or do the work where it is set"
      ),
      (
        "lazy var age: Int = 0",
        "2:3 'age' cannot be 'lazy': properties of an entity are loaded when they are first read; "
          + "remove 'lazy', or make it a computed property"
      ),
      (
        "weak var city: City?",
        "2:3 'city' cannot be 'weak': an object does not keep the objects that it is related to "
          + "alive; remove 'weak'"
      ),
      (
        "unowned(unsafe) var city: City?",
        "2:3 'city' cannot be 'unowned(unsafe)': an object does not keep the objects that it is "
          + "related to alive; remove 'unowned(unsafe)'"
      ),
      (
        "override var name: String",
        "2:3 'name' is a property of the superclass and stored there; override it with a computed "
          + "property, or remove it"
      ),
      ("var city: City!", "2:13 'City!' cannot be stored: write 'City?'"),
      (
        "var cities: ToMany<City>?",
        "2:15 a to-many relationship is not a 'ToMany<City>?': write 'ToMany<City>'"
      ),
      (
        "var cities: Optional<OrderedToMany<City>>",
        "2:15 a to-many relationship is not a 'Optional<OrderedToMany<City>>': write "
          + "'OrderedToMany<City>'"
      ),
      (
        "var cities: ToMany<City> = []",
        "2:30 'cities' cannot have a default value: relationships of a new object are empty; "
          + "remove it"
      ),
      (
        "@Relationship var city: City? = .capital",
        "2:35 'city' cannot have a default value: relationships of a new object are empty; remove "
          + "it"
      ),
      (
        "var id: UUID = UUID()",
        "2:18 'UUID()' would be evaluated once, for all objects: a default is part of the model; "
          + "remove it, and set 'id' when you make the object"
      ),
      (
        "var at: Date? = .now",
        "2:19 '.now' would be evaluated once, for all objects: a default is part of the model; "
          + "remove it, and set 'at' when you make the object"
      ),
    ])
    func `reports its mistakes once and in their places`(declaration: String, mistake: String) {
      #expect(entity(declaration).mistakes == [mistake])
    }

    @Test(arguments: [
      "customMirror", "description", "entity", "hasChanges", "hash", "hashValue", "isDeleted",
      "isFault",
      "isInserted", "isUpdated", "managedObjectContext", "objectID",
    ])
    func `cannot have the name of a member of ManagedObject`(name: String) {
      #expect(
        entity("var \(name): Int").mistakes == [
          "2:7 '\(name)' is a member of ManagedObject: give the property another name"
        ])
    }

    @Test func `cannot stand in a branch of conditional compilation`() {
      let expansion = Expansion(
        """
        @Entity class Thing: ManagedObject {
          #if DEBUG
            var computed: Int { 3 }
            #if os(Linux)
              var a: Int
            #endif
          #else
            var b: Int
          #endif
        }
        """)
      let message =
        "a property of an entity cannot stand in '#if': a store has one model, however the program "
        + "is built; move it out, or make it a computed property"
      #expect(expansion.mistakes == ["5:7 \(message)", "8:5 \(message)"])
    }

    @Test(arguments: [
      ("var age = -1", "var age: Int = -1"),
      ("var at = Date(timeIntervalSince1970: 0)", "var at: Date = Date(timeIntervalSince1970: 0)"),
      ("let age: Int", "var age: Int"),
      ("lazy var age: Int = 0", "var age: Int = 0"),
      ("public weak var city: City?", "public var city: City?"),
      ("var city: City!", "var city: City?"),
      ("var cities: ToMany<City>?", "var cities: ToMany<City>"),
      ("var cities: ToMany<City> = []", "var cities: ToMany<City>"),
    ])
    func `can be put right where that is one small edit`(before: String, after: String) {
      #expect(
        entity(before).remedied == "@Entity class Thing: ManagedObject {\n  \(after)\n}")
    }

    @Test func `has no remedy where none is plain`() {
      #expect(entity("var age = now()").remedies.isEmpty)
      #expect(entity("let age = 3").remedies.isEmpty)
    }
  }
#endif
