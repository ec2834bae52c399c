// SPDX-License-Identifier: Apache-2.0

#if Macros
  import Testing

  @Suite struct `A property` {
    /// The description's line that belongs to the property `x` of an entity that declares it alone.
    private func description(of declaration: String) throws -> String {
      let expansion = Expansion("@Entity class Thing: ManagedObject { \(declaration) }")
      #expect(expansion.mistakes.isEmpty)
      let line = try #require(
        expansion.text.split(separator: "\n").first { $0.contains(#"("x", "#) })
      return String(line.drop { $0 == " " })
    }

    @Test(arguments: [
      // Without a marker, the type tells.
      ("var x: Int", #".property("x", \Thing.x, as: (Int).self),"#),
      ("var x: City?", #".property("x", \Thing.x, as: (City?).self),"#),
      ("var x: City? = nil", #".property("x", \Thing.x, as: (City?).self),"#),
      ("var x: ToMany<City>", #".relationship("x", \Thing.x, as: (ToMany<City>).self),"#),
      (
        "var x: OrderedToMany<City>",
        #".relationship("x", \Thing.x, as: (OrderedToMany<City>).self),"#
      ),
      // Attributes.
      ("@Attribute var x: Int", #".attribute("x", \Thing.x, as: (Int).self),"#),
      (
        #"@Attribute(.indexed, originalName: "title") var x: String"#,
        #".attribute("x", \Thing.x, as: (String).self, .indexed, originalName: "title"),"#
      ),
      (
        ##"@Attribute(.length(1...), .matches(#"\d+"#)) var x: String?"##,
        ##".attribute("x", \Thing.x, as: (String?).self, .length(1...), .matches(#"\d+"#)),"##
      ),
      (
        "@Attribute(.range(0...1), .required) var x: Kind",
        #".attribute("x", \Thing.x, as: (Kind).self, .range(0 ... 1), .required),"#
      ),
      (
        "@Relationship(.required, .count(2...5)) var x: ToMany<City>",
        #".relationship("x", \Thing.x, as: (ToMany<City>).self, .required, .count(2 ... 5)),"#
      ),
      (
        "@Attribute(.transient) var x: Int = 0",
        #".attribute("x", \Thing.x, as: (Int).self, .transient, default: (0) as Int),"#
      ),
      (
        "@Attribute(.external, .length(...9)) var x: Data?",
        #".attribute("x", \Thing.x, as: (Data?).self, .external, .length(...9)),"#
      ),
      (
        "@Strata.Attribute(.unique, .indexed) var x: Int",
        #".attribute("x", \Thing.x, as: (Int).self, .unique, .indexed),"#
      ),
      // Relationships.
      ("@Relationship var x: City?", #".relationship("x", \Thing.x, as: (City?).self),"#),
      (
        "@Relationship(.symmetric) var x: ToMany<Thing>",
        #".relationship("x", \Thing.x, as: (ToMany<Thing>).self, .symmetric),"#
      ),
      (
        #"@Relationship(deleteRule: .cascade, inverse: \City.country) var x: ToMany<City>"#,
        #".relationship("x", \Thing.x, as: (ToMany<City>).self, deleteRule: .cascade, "#
          + #"inverse: \City.country),"#
      ),
      (
        #"@Relationship(inverse: "c", ordered: true, originalName: "y") "#
          + "var x: OrderedToMany<City>",
        #".relationship("x", \Thing.x, as: (OrderedToMany<City>).self, inverse: "c", "#
          + #"originalName: "y"),"#
      ),
    ])
    func `is described as it is declared`(declaration: String, line: String) throws {
      #expect(try description(of: declaration) == line)
    }

    @Test(arguments: [
      ("var x: Colour = .green", "default: (.green) as Colour"),
      ("var x: Int = 1 + 2", "default: (1 + 2) as Int"),
      (#"var x: String? = "none""#, #"default: ("none") as String?"#),
      ("var x: Date = .distantPast", "default: (.distantPast) as Date"),
    ])
    func `has a default of its own type`(declaration: String, argument: String) throws {
      #expect(try description(of: declaration).hasSuffix(", \(argument)),"))
    }

    @Test func `that is derived has no setter`() {
      let text = Expansion(
        """
        @Entity class Thing: ManagedObject {
          @Attribute(.derived(.now)) var savedAt: Date?
        }
        """
      ).text
      #expect(text.contains("self[slot: Thing._slotBase_Thing + 0]"))
      #expect(!text.contains("newValue"))
    }

    @Test func `takes its slot from the order of declaration`() {
      let text = Expansion(
        """
        @Entity class Thing: ManagedObject {
          var a: Int
          var sum: Int { a + b }
          static let zero = 0
          var b: Int
        }
        """
      ).text
      #expect(text.contains("self[slot: Thing._slotBase_Thing + 0]"))
      #expect(text.contains("self[slot: Thing._slotBase_Thing + 1] = newValue"))
      #expect(text.contains("_slotBase_Thing + 2\n"))
    }

    @Test func `that is refused has accessors and no slot`() {
      let text = Expansion(
        "@Entity class Thing: ManagedObject { var a: City!; var b: Int }"
      ).text
      #expect(text.contains("fatalError()"))
      #expect(text.contains("self[slot: Thing._slotBase_Thing + 0]"))
      #expect(!text.contains(#"("a", "#))
    }

    @Test func `that is not stored is left alone`() {
      let members = """
          var computed: Int { 3 }
          var settable: Int {
            get { 3 }
            set {}
          }
          static let shared = 3
          static var other: Int { 4 }
          class var third: Int { 5 }
          func method() -> Int { computed }
          subscript(index: Int) -> Int { index }
          convenience init(named name: String, in context: ManagedObjectContext) {
            self.init(context: context)
          }
          enum Kind {
            case one
          }
          struct Nested {
            let a = 3, b = 4
            lazy var c = 5
          }
        """
      let expansion = Expansion("@Entity class Thing: ManagedObject {\n\(members)\n}")
      #expect(expansion.mistakes.isEmpty)
      #expect(expansion.text.contains(members))
      #expect(expansion.text.contains("properties: [])"))
    }
  }
#endif
