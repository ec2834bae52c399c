// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

/// A one-to-one pair of which one end is deleted with the other.
@Entity final class Driver: ManagedObject {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Licence.driver) var licence: Licence?
  @Relationship(inverse: \Badge.driver) var badge: Badge?
}

@Entity final class Licence: ManagedObject {
  var number: Int = 0
  var driver: Driver?
}

@Entity final class Badge: ManagedObject {
  var driver: Driver?
}

/// The same pair in a model in which each end has another cascade.
@Entity final class Pilot: ManagedObject {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Permit.pilot) var permit: Permit?
  @Relationship(deleteRule: .cascade, inverse: \Flight.pilot) var flights: ToMany<Flight>
}

@Entity final class Permit: ManagedObject {
  var number: Int = 0
  @Relationship(deleteRule: .cascade) var pilot: Pilot?
  @Relationship(deleteRule: .cascade, inverse: \Stamp.permit) var stamps: ToMany<Stamp>
}

@Entity final class Flight: ManagedObject {
  var pilot: Pilot?
}

@Entity final class Stamp: ManagedObject {
  var permit: Permit?
}

@MainActor
@Suite struct `Both ends of a deleted one-to-one pair` {
  private let context: ManagedObjectContext

  init() throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(
        Driver.self, Licence.self, Badge.self, Pilot.self, Permit.self, Flight.self, Stamp.self))
    context = .withExplicitTurns(below: container.coordinator)
  }

  private func driver() -> (Driver, Licence, Badge) {
    let driver = Driver(context: context)
    driver.licence = Licence(context: context)
    driver.badge = Badge(context: context)
    return (driver, driver.licence!, driver.badge!)
  }

  private func pilot() -> (Pilot, Permit, Flight) {
    let (pilot, flight) = (Pilot(context: context), Flight(context: context))
    pilot.permit = Permit(context: context)
    flight.pilot = pilot
    Stamp(context: context).permit = pilot.permit
    return (pilot, pilot.permit!, flight)
  }

  @Test func `read each other, whatever else the rules reach`() throws {
    let (driver, licence, badge) = driver()
    let (pilot, permit, flight) = pilot()
    try context.save()
    context.delete(driver)
    context.delete(pilot)
    #expect(licence.isDeleted && permit.isDeleted && flight.isDeleted && !badge.isDeleted)
    for _ in 0..<2 {
      #expect(driver.licence === licence && licence.driver === driver)
      #expect(pilot.permit === permit && permit.pilot === pilot)
      #expect(flight.pilot === pilot)
      #expect(driver.badge === badge && badge.driver == nil)
      context.processPendingChanges()
    }
    try context.save()
  }

  @Test func `read each other from whichever side they were deleted`() throws {
    let (pilot, permit, flight) = pilot()
    try context.save()
    context.delete(permit)
    #expect(pilot.isDeleted && flight.isDeleted)
    #expect(pilot.permit === permit && permit.pilot === pilot && flight.pilot === pilot)
  }

  @Test func `read each other if they were linked in the same turn`() throws {
    let (first, second) = (driver(), pilot())
    let licence = Licence(context: context)
    let permit = Permit(context: context)
    try context.save()
    first.0.licence = licence
    first.0.name = "A"
    second.0.permit = permit
    second.0.name = "B"
    context.delete(first.0)
    context.delete(second.0)
    #expect(first.0.licence === licence && licence.driver === first.0)
    #expect(second.0.permit === permit && permit.pilot === second.0)
    #expect(first.1.driver == nil && second.1.pilot == nil)
    #expect(!first.1.isDeleted && !second.1.isDeleted)
    #expect(first.0.name == "A" && second.0.name == "B")
  }

  @Test func `read the same after a redo as after the deletion`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    let drivers = (0..<12).map { _ in driver() }
    try context.save()
    context.turn { for (driver, _, _) in drivers { context.delete(driver) } }
    for isRedone in [false, true] {
      if isRedone {
        context.turn { context.undo() }
        context.turn { context.redo() }
      }
      for (driver, licence, badge) in drivers {
        #expect(driver.isDeleted && licence.isDeleted && !badge.isDeleted)
        #expect(driver.badge === badge && badge.driver == nil)
        #expect(driver.licence === licence && licence.driver === driver)
      }
    }
  }

  @Test func `read each other after an undo and a redo, in any order of deletion`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    let drivers = (0..<12).map { _ in driver() }
    let pilots = (0..<12).map { _ in pilot() }
    try context.save()
    context.turn {
      for (driver, licence, badge) in drivers {
        context.delete(badge)
        context.delete(licence)
        context.delete(driver)
      }
      for (pilot, _, _) in pilots { context.delete(pilot) }
    }
    for (driver, licence, badge) in drivers {
      // Each reads as before its own deletion.
      #expect(driver.licence == nil && licence.driver === driver)
      #expect(driver.badge == nil && badge.driver === driver)
    }
    context.turn { context.undo() }
    #expect(!context.hasChanges)
    for (driver, licence, badge) in drivers {
      #expect(driver.licence === licence && licence.driver === driver)
      #expect(driver.badge === badge && badge.driver === driver)
    }
    context.turn { context.redo() }
    for (driver, licence, badge) in drivers {
      #expect(driver.isDeleted && licence.isDeleted && badge.isDeleted)
      // A redo is one deletion: all read as before it.
      #expect(driver.licence === licence && licence.driver === driver)
      #expect(driver.badge === badge && badge.driver === driver)
    }
    for (pilot, permit, flight) in pilots {
      #expect(pilot.permit === permit && permit.pilot === pilot && flight.pilot === pilot)
    }
    try context.save()
  }
}
