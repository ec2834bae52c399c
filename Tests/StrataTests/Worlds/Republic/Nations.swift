// SPDX-License-Identifier: Apache-2.0
import Strata

// The world of the tests of uniqueness: a relationship of every kind to a unique object.

@Entity final class Nation: ManagedObject {
  @Attribute(.unique) var iso: String?
  var name: String?
  var population: Int = 0
  @Relationship(deleteRule: .cascade, inverse: \Borough.nation) var boroughs: ToMany<Borough>
  @Relationship(deleteRule: .cascade, inverse: \Seat.nation) var seats: ToMany<Seat>
  @Relationship(inverse: \Label.nations) var labels: ToMany<Label>
  @Relationship(inverse: \Flag.nation) var flag: Flag?
  @Relationship(.symmetric) var allies: ToMany<Nation>
}

@Entity final class Borough: ManagedObject {
  var name: String?
  var nation: Nation?
}

/// One of a nation's seats, which are numbered.
@Entity(uniqueTogether: ["nation", "number"])
final class Seat: ManagedObject {
  var number: Int?
  var nation: Nation?
  var holder: String?
}

@Entity final class Label: ManagedObject {
  @Attribute(.unique) var text: String?
  var nations: ToMany<Nation>
}

@Entity final class Flag: ManagedObject {
  var colour: String?
  var nation: Nation?
}

/// Leads to nations, which do not know: in an order, and one to begin with.
@Entity final class Tour: ManagedObject {
  var name: String?
  var start: Nation?
  var stops: OrderedToMany<Nation>
}

enum Rank: String { case first, second }

@Entity(isAbstract: true, uniqueTogether: ["club", "number"])
class Member: ManagedObject {
  @Attribute(.unique) var email: String?
  var club: String?
  var number: Int?
}

@Entity final class Athlete: Member {
  var goals: Int = 0
}

@Entity(uniqueTogether: ["club", "rank"])
final class Coach: Member {
  var team: String?
  var rank: Rank?
}

extension ManagedObjectContext {
  /// Inserts a nation for a test.
  @discardableResult
  func nation(_ iso: String?, name: String? = nil, population: Int? = nil) -> Nation {
    let nation = Nation(context: self)
    nation.iso = iso
    if let name { nation.name = name }
    if let population { nation.population = population }
    return nation
  }

  /// Inserts a seat for a test.
  @discardableResult
  func seat(_ number: Int?, of nation: Nation?, holder: String? = nil) -> Seat {
    let seat = Seat(context: self)
    seat.number = number
    seat.nation = nation
    if let holder { seat.holder = holder }
    return seat
  }

  /// The nation with this code.
  func nation(coded iso: String) throws -> Nation? {
    try fetch(Nation.where { $0.iso == iso }).first
  }
}
