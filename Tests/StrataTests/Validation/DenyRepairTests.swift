// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Entity private final class Captain: ManagedObject {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Vessel.captain) var vessel: Vessel?
  @Relationship(deleteRule: .deny, inverse: \Club.captains) var clubs: ToMany<Club>
}

@Entity private final class Vessel: ManagedObject {
  var captain: Captain?
}

@Entity private final class Club: ManagedObject {
  var captains: ToMany<Captain>
}

/// A saved captain, linked to a vessel and to a club.
@Suite struct `A deletion that a rule denies` {
  private let context: ManagedObjectContext
  private let container: PersistentContainer
  private let captain: Captain
  private let vessel: Vessel
  private let club: Club

  init() throws {
    container = try PersistentContainer(
      inMemory: ManagedObjectModel(Captain.self, Vessel.self, Club.self))
    context = ManagedObjectContext(parent: container.coordinator)
    (captain, vessel, club) = (
      Captain(context: context), Vessel(context: context), Club(context: context)
    )
  }

  private func expectDenied(_ relationships: [String]) {
    do {
      try context.save()
      Issue.record("the save went through")
    } catch ContextError.deleteDenied(let denied) {
      #expect(denied.map { "\($0.entity).\($0.property)" }.sorted() == relationships)
    } catch {
      Issue.record(error)
    }
  }

  private func expectGone() throws {
    try context.save()
    let reader = ManagedObjectContext(parent: container.coordinator)
    #expect(try reader.fetch(Captain.where { $0.name == "deleted" }).isEmpty)
    #expect(try reader.fetch(Club.all).allSatisfy { $0.captains.isEmpty })
  }

  private func saveCaptain() throws {
    captain.name = "deleted"
    try context.save()
  }

  @Test func `is refused with the names of all relationships that deny it, of all objects`()
    throws
  {
    captain.vessel = vessel
    captain.clubs.insert(club)
    let other = Captain(context: context)
    other.clubs.insert(club)
    try saveCaptain()
    context.delete(captain)
    context.delete(other)
    expectDenied(["Captain.clubs", "Captain.clubs", "Captain.vessel"])
  }

  @Test func `goes through once a one-to-one partner is unlinked from its own side`() throws {
    captain.vessel = vessel
    try saveCaptain()
    context.delete(captain)
    expectDenied(["Captain.vessel"])
    vessel.captain = nil
    try expectGone()
  }

  @Test func `goes through once a one-to-one partner has found another`() throws {
    captain.vessel = vessel
    try saveCaptain()
    context.delete(captain)
    expectDenied(["Captain.vessel"])
    let other = Captain(context: context)
    vessel.captain = other
    try expectGone()
    #expect(other.vessel == vessel && vessel.captain == other)
  }

  @Test func `goes through once a member of a to-many side is unlinked from its own side`() throws {
    captain.clubs.insert(club)
    try saveCaptain()
    context.delete(captain)
    expectDenied(["Captain.clubs"])
    club.captains.remove(captain)
    try expectGone()
  }

  @Test func `goes through once both were unlinked before the first save`() throws {
    captain.vessel = vessel
    captain.clubs.insert(club)
    try saveCaptain()
    context.delete(captain)
    vessel.captain = nil
    club.captains.remove(captain)
    try expectGone()
  }
}
