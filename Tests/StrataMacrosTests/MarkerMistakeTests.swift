// SPDX-License-Identifier: Apache-2.0

#if Macros
  import Testing

  /// An entity with `declaration` alone in its second line, after two spaces.
  private func entity(_ declaration: String) -> Expansion {
    Expansion("@Entity class Thing: ManagedObject {\n  \(declaration)\n}")
  }

  @Suite struct `A marker` {
    @Test(arguments: [
      "struct Plain { @Attribute var a: Int }", "class Plain { @Attribute var a: Int = 0 }",
      "@Attribute var a: Int = 0", "@Attribute func a() {}", "@Attribute class Plain {}",
      "extension Thing { @Attribute var a: Int { 0 } }",
      "@Entity class Thing: ManagedObject { @Attribute func a() {} }",
      "@Entity class Thing: ManagedObject { struct Nested { @Attribute var a: Int } }",
    ])
    func `is refused where there is no stored property of an entity`(source: String) throws {
      let mistakes = Expansion(source).mistakes
      #expect(mistakes.count == 1)
      #expect(
        try #require(mistakes.first).hasSuffix(
          " @Attribute belongs on a stored property of an @Entity class"))
    }

    @Test(arguments: [
      (
        "@Attribute var a: Int { 3 }",
        "2:3 @Attribute is for stored properties, and 'a' is computed: remove @Attribute"
      ),
      (
        "@Relationship var a: City? { nil }",
        "2:3 @Relationship is for stored properties, and 'a' is computed: remove @Relationship"
      ),
      (
        "@Attribute static var a: Int = 3",
        "2:3 @Attribute is for the properties of an object, and 'a' belongs to the class: remove "
          + "@Attribute"
      ),
      (
        "@Attribute @Relationship var city: City?",
        "2:14 'city' cannot be both an attribute and a relationship: remove @Attribute or "
          + "@Relationship"
      ),
      (
        "@Attribute var cities: ToMany<City>",
        "2:3 'cities' is a relationship, as its type 'ToMany<City>' says: write @Relationship in "
          + "place of @Attribute, or nothing"
      ),
      (
        "@Attribute(.indexed, .transient) var a: Int",
        "2:24 '.transient' and '.indexed' exclude each other: a transient attribute is not stored, "
          + "and so not in an index; remove one"
      ),
      (
        "@Attribute(.external, .indexed) var a: Data",
        "2:14 '.external' and '.indexed' exclude each other: the bytes of an external attribute "
          + "are stored beside the object, and are only read when they are asked for; remove one"
      ),
      (
        "@Attribute(.external, .transient) var a: Data?",
        "2:14 '.external' and '.transient' exclude each other: the bytes of an external attribute "
          + "are stored beside the object, and are only read when they are asked for; remove one"
      ),
      (
        "@Attribute(.derived(.path(\"b.c\")), .external) var a: Data?",
        "2:38 '.external' and '.derived(.path(\"b.c\"))' exclude each other: the bytes of an "
          + "external attribute are stored beside the object, and are only read when they are "
          + "asked for; remove one"
      ),
      (
        "@Attribute(.external) var a: String?",
        "2:14 '.external' is for Data, not for 'String?': remove it"
      ),
      (
        "@Attribute(.external) var a: [UInt8]",
        "2:14 '.external' is for Data, not for '[UInt8]': remove it"
      ),
      (
        "@Attribute(.length(1...80)) var a: Int?",
        "2:14 '.length' is a rule for String and Data, not for 'Int?': remove it"
      ),
      (
        "@Attribute(.indexed, .range(0...1)) var a: String",
        "2:24 '.range' is a rule for numbers and Date, not for 'String': remove it"
      ),
      (
        "@Attribute(.merges(.sum)) var a: String?",
        "2:14 '.merges(.sum)' is a rule for numbers, not for 'String?': remove it"
      ),
      (
        "@Attribute(.merges(.max)) var a: Bool",
        "2:14 '.merges(.max)' is a rule for numbers and Date, not for 'Bool': remove it"
      ),
      (
        "@Attribute(.merges(.union)) var a: Int",
        "2:14 '.merges(.union)' is a rule for sets and arrays, not for 'Int': remove it"
      ),
      (
        "@Attribute(.matches(\"x\")) var a: Data",
        "2:14 '.matches' is a rule for String, not for 'Data': remove it"
      ),
      (
        "@Attribute(.matches(\"[A-Z\")) var a: String",
        "2:23 this is not a regular expression: expected ']'"
      ),
      (
        "@Relationship(.required, .count(...2)) var a: City?",
        "2:28 'a' has one target at most, so there is nothing to count: write '.required' if it "
          + "must have one"
      ),
      (
        "@Attribute(.transient, .unique) var a: Int",
        "2:14 '.transient' and '.unique' exclude each other: a transient attribute is not stored, "
          + "and so not in an index; remove one"
      ),
      (
        "@Relationship var a: Int",
        "2:3 'Int' is not an entity, so 'a' is an attribute: remove @Relationship"
      ),
      (
        "@Relationship var a: [String]?",
        "2:3 '[String]?' is not an entity, so 'a' is an attribute: remove @Relationship"
      ),
      (
        "@Relationship var city: City",
        "2:27 a to-one relationship is optional, for its target may be deleted: write 'City?'"
      ),
      (
        "@Relationship var cities: [City]",
        "2:29 a to-many relationship is not a '[City]': write 'OrderedToMany<City>'"
      ),
      (
        "@Relationship var cities: Set<City>?",
        "2:29 a to-many relationship is not a 'Set<City>?': write 'ToMany<City>'"
      ),
      (
        "@Relationship var cities: ToMany<City>?",
        "2:29 a to-many relationship is not a 'ToMany<City>?': write 'ToMany<City>'"
      ),
      (
        #"@Relationship(.symmetric, inverse: "b") var a: ToMany<Thing>"#,
        "2:17 a symmetric relationship is its own inverse: remove 'inverse:' or '.symmetric'"
      ),
      (
        "@Relationship(.symmetric) var a: OrderedToMany<Thing>",
        "2:17 '.symmetric' is for ToMany relationships of an entity with itself, not for "
          + "'OrderedToMany<Thing>': remove it"
      ),
      (
        "@Relationship(ordered: true) var a: ToMany<City>",
        "2:26 'ordered:' contradicts the type 'ToMany<City>': write 'OrderedToMany<City>'"
      ),
      (
        "@Relationship(ordered: false) var a: OrderedToMany<City>",
        "2:26 'ordered:' contradicts the type 'OrderedToMany<City>': write 'ordered: true' or "
          + "leave it out, or make it a ToMany"
      ),
      (
        "@Relationship(ordered: true) var a: City?",
        "2:26 'ordered:' contradicts the type 'City?': write no 'ordered:' here"
      ),
    ])
    func `reports its mistakes once and in their places`(declaration: String, mistake: String) {
      #expect(entity(declaration).mistakes == [mistake])
    }

    @Test(arguments: [
      "@Attribute var a: Int", "@Attribute(.unique, .indexed) private(set) var a: String = \"\"",
      "@Attribute(.transient) var a: [City]", "@Attribute var a: City?", "@Attribute var a: (Int)?",
      "@Relationship var a: City?", "@Relationship var a: Optional<Geography.City>",
      "@Relationship var a: City? = nil", "@Relationship var a: Strata.ToMany<City>",
      "@Relationship var a: OrderedToMany<City>",
      "@Relationship(ordered: false) var a: ToMany<City>",
      "@Relationship(ordered: true) var a: OrderedToMany<City>",
      "@Relationship(ordered: false) var a: City?",
    ])
    func `is content with legal code`(declaration: String) {
      #expect(entity(declaration).mistakes.isEmpty)
    }

    @Test(arguments: [
      ("@Attribute var c: ToMany<City>", "@Relationship var c: ToMany<City>"),
      ("@Relationship var city: City", "@Relationship var city: City?"),
      ("@Relationship var c: Set<City>", "@Relationship var c: ToMany<City>"),
    ])
    func `can be put right where that is one small edit`(before: String, after: String) {
      #expect(
        entity(before).remedied == "@Entity class Thing: ManagedObject {\n  \(after)\n}")
    }
  }
#endif
