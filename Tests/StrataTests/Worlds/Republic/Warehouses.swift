// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport

// The world of the tests of batches: relationships of every kind with every delete rule, into and
// out of a hierarchy; indexes, constraints, external and derived attributes.

@Entity(isAbstract: true)
class Ware: ManagedObject {
  @Attribute(.indexed, .preserveValueOnDeletion) var label: String
  @Attribute(.external) var picture: Data?
  var value: Int = 0
  var rack: Rack?
  @Attribute(.derived(.path("rack.depot.name"))) var depotName: String?
  @Relationship(inverse: \Sticker.wares) var stickers: ToMany<Sticker>
}

@Entity(uniqueTogether: ["label", "rack"])
final class Crate: Ware {
  var weight: Double = 0
  @Relationship(deleteRule: .cascade, inverse: \Lid.crate) var lid: Lid?
  @Relationship(deleteRule: .deny, inverse: \Complaint.crate) var claims: ToMany<Complaint>
}

@Entity final class Barrel: Ware {
  @Attribute(.indexed) var litres: Int = 0
  @Relationship(deleteRule: .cascade) var tap: Tap?
}

@Entity final class Rack: ManagedObject {
  @Attribute(.unique) var code: String?
  @Relationship(inverse: \Ware.rack) var wares: OrderedToMany<Ware>
  @Attribute(.derived(.count("wares"))) var wareCount: Int
  @Attribute(.derived(.sum("wares", of: "value"))) var total: Int
  @Relationship(.symmetric) var neighbours: ToMany<Rack>
  var depot: Depot?
}

@Entity final class Depot: ManagedObject {
  @Attribute(.indexed) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Rack.depot) var racks: ToMany<Rack>
  @Relationship(deleteRule: .noAction, inverse: \Visit.depot) var visits: ToMany<Visit>
  @Relationship(deleteRule: .cascade, inverse: \Gate.depots) var gates: ToMany<Gate>
}

@Entity final class Sticker: ManagedObject {
  @Attribute(.indexed) var text: String?
  var wares: ToMany<Ware>
  @Attribute(.derived(.count("wares"))) var uses: Int
}

@Entity final class Lid: ManagedObject {
  var colour: String?
  var crate: Crate?
}

@Entity final class Complaint: ManagedObject {
  var crate: Crate?
}

@Entity final class Tap: ManagedObject {
  var label: String?
}

@Entity final class Gate: ManagedObject {
  @Attribute(.external) var plan: Data?
  var depots: ToMany<Depot>
}

@Entity final class Visit: ManagedObject {
  @Relationship(.required) var depot: Depot?
  var day: Int = 0
}

/// Leads to wares, which do not know.
@Entity final class Memo: ManagedObject {
  @Attribute(.indexed) var text: String?
  var subject: Ware?
  var mentioned: ToMany<Ware>
  @Relationship(deleteRule: .deny) var kept: Rack?
}

extension ManagedObjectContext {
  /// Inserts objects as `random` determines: the same for the same seed.
  func fillWarehouse(_ count: Int, _ random: inout SeededGenerator) {
    let depots = (0..<max(1, count / 20)).map { index in
      let depot = Depot(context: self)
      depot.name = "depot \(index % 3)"
      return depot
    }
    let racks = (0..<max(2, count / 8)).map { index in
      let rack = Rack(context: self)
      rack.code = index.isMultiple(of: 4) ? nil : "rack \(index)"
      rack.depot = Bool.random(using: &random) ? depots.randomElement(using: &random) : nil
      return rack
    }
    for rack in racks where Int.random(in: 0..<3, using: &random) == 0 {
      if let other = racks.randomElement(using: &random) { rack.neighbours.insert(other) }
    }
    let stickers = (0..<4).map { index in
      let sticker = Sticker(context: self)
      sticker.text = index == 0 ? nil : "sticker \(index)"
      return sticker
    }
    for depot in depots {
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let gate = Gate(context: self)
        gate.plan = data(&random)
        gate.depots.insert(depot)
        if Bool.random(using: &random) {
          if let other = depots.randomElement(using: &random) { gate.depots.insert(other) }
        }
      }
      for day in 0..<Int.random(in: 0...2, using: &random) {
        let visit = Visit(context: self)
        visit.day = day
        visit.depot = depot
      }
    }
    var wares: [Ware] = []
    for index in 0..<count {
      wares.append(ware(index, &random))
      if Int.random(in: 0..<4, using: &random) > 0, let rack = racks.randomElement(using: &random) {
        rack.wares.append(wares[index])
      }
      for sticker in stickers where Int.random(in: 0..<4, using: &random) == 0 {
        wares[index].stickers.insert(sticker)
      }
    }
    for index in 0..<(count / 6) {
      let memo = Memo(context: self)
      memo.text = "memo \(index)"
      memo.subject = Bool.random(using: &random) ? wares.randomElement(using: &random) : nil
      if Int.random(in: 0..<8, using: &random) == 0 {
        memo.kept = racks.randomElement(using: &random)
      }
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        if let ware = wares.randomElement(using: &random) { memo.mentioned.insert(ware) }
      }
    }
  }

  private func ware(_ index: Int, _ random: inout SeededGenerator) -> Ware {
    let ware: Ware
    if Bool.random(using: &random) {
      let crate = Crate(context: self)
      crate.weight = Double(index) / 2
      if Bool.random(using: &random) {
        crate.lid = Lid(context: self)
        crate.lid?.colour = "red"
      }
      if Int.random(in: 0..<40, using: &random) == 0 { Complaint(context: self).crate = crate }
      ware = crate
    } else {
      let barrel = Barrel(context: self)
      barrel.litres = Int.random(in: 0...20, using: &random)
      if Bool.random(using: &random) { barrel.tap = Tap(context: self) }
      ware = barrel
    }
    ware.label = "ware \(index)"
    ware.value = Int.random(in: 0...100, using: &random)
    ware.picture = data(&random)
    return ware
  }

  private func data(_ random: inout SeededGenerator) -> Data? {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: nil
    case 1: Data()
    default: Data(repeating: 7, count: Int.random(in: 1...6_000, using: &random))
    }
  }
}
