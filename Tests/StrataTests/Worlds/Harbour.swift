// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

// The object graph of the tests of what the store derives: derived attributes of all kinds over a
// relationship of each kind, in a hierarchy, with constraints and delete rules.

@Entity final class Port: ManagedObject {
  @Attribute(.unique) var code: String?
  var name: String
  @Attribute(.derived(.count("ships"))) var shipCount: Int
  @Attribute(.derived(.sum("ships", of: "tonnage"))) var tonnage: Int
  @Attribute(.derived(.now)) var savedAt: Date?
  @Relationship(deleteRule: .cascade, inverse: \Ship.port) var ships: ToMany<Ship>
}

@Entity class Ship: ManagedObject {
  var name: String
  @Attribute(.unique, .derived(.canonical("plate"))) var searchPlate: String?
  var plate: String?
  var tonnage: Int = 0
  @Attribute(.external) var picture: Data?
  var port: Port?
  @Attribute(.derived(.path("port.name"))) var portName: String?
  @Relationship(inverse: \Sailor.ships) var crew: ToMany<Sailor>
  @Attribute(.derived(.count("crew"))) var crewCount: Int
  @Attribute(.derived(.sum("crew", of: "wage"))) var wages: Double
}

@Entity final class Tanker: Ship {
  @Attribute(.derived(.uppercase("name"))) var shout: String?
  @Relationship(inverse: \Barge.tanker) var barge: Barge?
}

@Entity final class Sailor: ManagedObject {
  var name: String
  var wage: Double = 0
  var ships: ToMany<Ship>
  @Attribute(.derived(.count("ships"))) var shipCount: Int
}

@Entity final class Barge: ManagedObject {
  var tanker: Tanker?
  @Attribute(.derived(.path("tanker.port.name"))) var portName: String?
}

/// A container in memory with this graph's model.
func harbour() throws -> PersistentContainer {
  try PersistentContainer(
    inMemory: ManagedObjectModel(
      Port.self, Ship.self, Tanker.self, Sailor.self, Barge.self))
}

extension ManagedObjectContext {
  @discardableResult
  func port(_ name: String, code: String? = nil) -> Port {
    let port = Port(in: self)
    port.name = name
    port.code = code
    return port
  }

  @discardableResult
  func ship(_ name: String, tonnage: Int = 0, in port: Port? = nil) -> Ship {
    let ship = Ship(in: self)
    ship.name = name
    ship.tonnage = tonnage
    ship.port = port
    return ship
  }

  @discardableResult
  func tanker(_ name: String, tonnage: Int = 0, in port: Port? = nil) -> Tanker {
    let tanker = Tanker(in: self)
    tanker.name = name
    tanker.tonnage = tonnage
    tanker.port = port
    return tanker
  }

  /// What is derived in this context's objects otherwise than a naive calculation has it, as
  /// "entity.attribute found ≠ expected".
  func derivedMistakes() throws -> [String] {
    var mistakes: [String] = []
    func compare<T: Equatable>(_ name: String, _ found: T, _ expected: T) {
      if found != expected { mistakes.append("\(name) \(found) ≠ \(expected)") }
    }
    for port in try fetch(Port.all) {
      compare("Port.shipCount", port.shipCount, port.ships.count)
      compare("Port.tonnage", port.tonnage, port.ships.reduce(0) { $0 + $1.tonnage })
      if port.savedAt == nil { mistakes.append("Port.savedAt is missing") }
    }
    for ship in try fetch(Ship.all) {
      compare("Ship.searchPlate", ship.searchPlate, ship.plate?.lowercased())
      compare("Ship.portName", ship.portName, ship.port?.name)
      compare("Ship.crewCount", ship.crewCount, ship.crew.count)
      compare("Ship.wages", ship.wages, ship.crew.reduce(0) { $0 + $1.wage })
      guard let tanker = ship as? Tanker else { continue }
      compare("Tanker.shout", tanker.shout, tanker.name.uppercased())
    }
    for sailor in try fetch(Sailor.all) {
      compare("Sailor.shipCount", sailor.shipCount, sailor.ships.count)
    }
    for barge in try fetch(Barge.all) {
      compare("Barge.portName", barge.portName, barge.tanker?.port?.name)
    }
    return mistakes
  }
}

/// A port "A" (code "A"), a port "B", a ship and a tanker in A that weigh 1 and 2, a sailor on the
/// ship who earns 1, a barge of the tanker; and two contexts on the store that have seen all of it.
struct HarbourRivals {
  let container: PersistentContainer
  let ours: ManagedObjectContext
  let theirs: ManagedObjectContext

  init(_ policy: MergePolicy = .error) throws {
    container = try harbour()
    let first = ManagedObjectContext(parent: container.coordinator)
    let port = first.port("A", code: "A")
    first.port("B")
    let sailor = Sailor(in: first)
    sailor.name = "S"
    sailor.wage = 1
    first.ship("ship", tonnage: 1, in: port).crew.insert(sailor)
    Barge(in: first).tanker = first.tanker("tanker", tonnage: 2, in: port)
    try first.save()
    ours = ManagedObjectContext(parent: container.coordinator)
    theirs = ManagedObjectContext(parent: container.coordinator)
    ours.mergePolicy = policy
    for context in [ours, theirs] {
      for port in try context.fetch(Port.all) { _ = port.name }
      for ship in try context.fetch(Ship.all) { _ = ship.name }
      for sailor in try context.fetch(Sailor.all) { _ = sailor.name }
    }
  }

  /// What the store has derived wrongly.
  func mistakes() throws -> [String] {
    try ManagedObjectContext(parent: container.coordinator).derivedMistakes()
  }

  /// What the store has of the port of this name.
  func stored<T>(_ name: String, _ body: (Port) throws -> T) throws -> T {
    let context = ManagedObjectContext(parent: container.coordinator)
    return try body(context.port(named: name))
  }
}

extension ManagedObjectContext {
  func port(named name: String) throws -> Port {
    try #require(try fetch(Port.where { $0.name == name }).first)
  }

  func ship(named name: String) throws -> Ship {
    try #require(try fetch(Ship.where { $0.name == name }).first)
  }
}
