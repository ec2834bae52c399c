// SPDX-License-Identifier: Apache-2.0

#if Macros
  import Testing

  // Golden texts: the macros generate code that a user could write by hand, and that the library's
  // initialisers and subscripts must accept.

  @Suite struct `An entity` {
    @Test func `with no properties has a description and no slots`() {
      let expansion = Expansion("@Entity class Empty: ManagedObject {}")
      #expect(expansion.mistakes.isEmpty)
      #expect(
        expansion.text == """
          class Empty: ManagedObject {

            @inline(__always) nonisolated static var _slotBase_Empty: Int {
              ManagedObject._slotEnd_ManagedObject
            }

            @inline(__always) nonisolated static var _slotEnd_Empty: Int {
              _slotBase_Empty + 0
            }

            nonisolated private static let _entity_Empty: EntityDescription = EntityDescription(
              entity: "Empty", of: Empty.self, isAbstract: false, superentity: nil,
              hooks: [],
              properties: [])

            nonisolated override class var entity: EntityDescription {
              _entity_Empty
            }
          }

          nonisolated extension Empty: Entity {
          }
          """)
    }

    @Test func `passes on the sets of properties that are unique together`() {
      let expansion = Expansion(
        """
        @Entity(isAbstract: true, uniqueTogether: ["a", "b"], ["b", "c"])
        class Empty: ManagedObject {}
        """)
      #expect(expansion.mistakes.isEmpty)
      #expect(
        expansion.text.contains(
          """
            hooks: [],
              uniqueTogether: [["a", "b"], ["b", "c"]],
              properties: [])
          """))
      #expect(expansion.text.contains("isAbstract: true"))
    }

    @Test func `passes on the lists of indexed properties`() {
      let expansion = Expansion(
        """
        @Entity(uniqueTogether: ["a", "b"], indexes: ["b", "a"], ["b", "c"])
        class Empty: ManagedObject {}
        """)
      #expect(expansion.mistakes.isEmpty)
      #expect(
        expansion.text.contains(
          """
            hooks: [],
              uniqueTogether: [["a", "b"]],
              indexes: [["b", "a"], ["b", "c"]],
              properties: [])
          """))
    }

    @Test func `that is public opens its accessors to other modules`() {
      let expansion = Expansion(
        """
        @Entity public final class Country: ManagedObject {
          /// By ISO 3166.
          @Attribute(.unique) public var iso: String
          public private(set) var population: Int = 0
          var notes: String?
        }
        """)
      #expect(expansion.mistakes.isEmpty)
      #expect(
        expansion.text == """
          public final class Country: ManagedObject {
            /// By ISO 3166.
            public var iso: String {
              @inlinable get {
                self[slot: Country._slotBase_Country + 0]
              }
              @inlinable set {
                self[slot: Country._slotBase_Country + 0] = newValue
              }
            }
            public private(set) var population: Int {
              @inlinable get {
                self[slot: Country._slotBase_Country + 1]
              }
              set {
                self[slot: Country._slotBase_Country + 1] = newValue
              }
            }
            var notes: String? {
              get {
                self[slot: Country._slotBase_Country + 2]
              }
              set {
                self[slot: Country._slotBase_Country + 2] = newValue
              }
            }

            @inlinable @inline(__always) nonisolated public static var _slotBase_Country: Int {
              ManagedObject._slotEnd_ManagedObject
            }

            @inlinable @inline(__always) nonisolated public static var _slotEnd_Country: Int {
              _slotBase_Country + 3
            }

            nonisolated private static let _entity_Country: EntityDescription = EntityDescription(
              entity: "Country", of: Country.self, isAbstract: false, superentity: nil,
              hooks: [],
              properties: [
                .attribute("iso", \\Country.iso, as: (String).self, .unique),
                .property("population", \\Country.population, as: (Int).self, default: (0) as Int),
                .property("notes", \\Country.notes, as: (String?).self),
              ])

            nonisolated public override class var entity: EntityDescription {
              _entity_Country
            }
          }

          nonisolated extension Country: Entity {
          }
          """)
    }

    @Test func `that is open lets subclasses in other modules describe themselves`() {
      let text = Expansion("@Entity open class Person: ManagedObject { open var name: String }")
        .text
      #expect(text.contains("nonisolated open override class var entity: EntityDescription {"))
      #expect(text.contains("@inlinable @inline(__always) nonisolated public static var _slotEnd_"))
      #expect(text.contains("@inlinable get {"))
    }

    @Test func `of a package keeps to the package`() {
      let text = Expansion("@Entity package class Person: ManagedObject { package var a: Int }")
        .text
      #expect(text.contains("nonisolated package override class var entity: EntityDescription {"))
      #expect(text.contains("@inline(__always) nonisolated package static var _slotBase_Person"))
      #expect(!text.contains("@inlinable"))
    }

    @Test func `has the access that an extension gives it`() {
      let text = Expansion("public extension Geo { @Entity class City: ManagedObject {} }").text
      #expect(text.contains("nonisolated public override class var entity: EntityDescription {"))
    }

    @Test func `that inherits from an entity begins where its slots end`() {
      let expansion = Expansion(
        """
        @Entity final class Employee: Company.Person, CustomStringConvertible {
          var salary: Double = 10
        }
        """)
      #expect(expansion.mistakes.isEmpty)
      #expect(
        expansion.text.contains(
          """
            @inline(__always) nonisolated static var _slotBase_Employee: Int {
              Company.Person._slotEnd_Person
            }
          """))
      #expect(expansion.text.contains("superentity: Company.Person.entity,"))
    }

    @Test func `may name its superclass with its module`() {
      let text = Expansion("@Entity class Person: Strata.ManagedObject {}").text
      #expect(text.contains("Strata.ManagedObject._slotEnd_ManagedObject"))
      #expect(text.contains("superentity: nil,"))
    }

    @Test func `may be abstract`() {
      let text = Expansion("@Entity(isAbstract: true) class Person: ManagedObject {}").text
      #expect(text.contains("of: Person.self, isAbstract: true, superentity: nil,"))
    }

    @Test func `names the life cycle methods that it overrides`() {
      let text = Expansion(
        """
        @Entity class Person: ManagedObject {
          override func willSave() {}
          func didSave() {}
          override class func prepareForDeletion() {}
          override func awakeFromSnapshotEvents(_ events: SnapshotEvents) {}
          override func hash() {}
          #if DEBUG
            public override func awakeFromInsert() {}
          #else
            #if os(Linux)
              override func didTurnIntoFault() {}
            #endif
          #endif
          class Other { override func willTurnIntoFault() {} }
        }
        """
      ).text
      #expect(
        text.contains(
          "hooks: [.awakeFromInsert, .awakeFromSnapshotEvents, .willSave, .didTurnIntoFault],"))
    }

    @Test func `may have a name in backticks`() {
      let text = Expansion("@Entity class `Type`: ManagedObject { var `class`: Int }").text
      #expect(text.contains("static var _slotBase_Type: Int"))
      #expect(text.contains("self[slot: `Type`._slotBase_Type + 0]"))
      #expect(text.contains(#"entity: "Type", of: `Type`.self,"#))
      #expect(text.contains(#".property("class", \`Type`.`class`, as: (Int).self),"#))
    }
  }
#endif
