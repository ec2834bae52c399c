// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

// The world of the tests of the store's derivation: derived attributes of all kinds over a
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

extension ManagedObjectContext {
  @discardableResult
  func port(_ name: String, code: String? = nil) -> Port {
    let port = Port(context: self)
    port.name = name
    port.code = code
    return port
  }

  @discardableResult
  func ship(_ name: String, tonnage: Int = 0, in port: Port? = nil) -> Ship {
    let ship = Ship(context: self)
    ship.name = name
    ship.tonnage = tonnage
    ship.port = port
    return ship
  }

  @discardableResult
  func tanker(_ name: String, tonnage: Int = 0, in port: Port? = nil) -> Tanker {
    let tanker = Tanker(context: self)
    tanker.name = name
    tanker.tonnage = tonnage
    tanker.port = port
    return tanker
  }

  /// The derived values of this context's objects that differ from a naive calculation, as
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
