// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Testing

/// A port "A" (code "A"), a port "B", a ship and a tanker in A that weigh 1 and 2, a sailor on the
/// ship with wage 1, a barge of the tanker; and two contexts on the store that have seen all of it.
private struct HarbourRivals {
  let container: PersistentContainer
  let ours: ManagedObjectContext
  let theirs: ManagedObjectContext

  init(_ policy: MergePolicy = .error) throws {
    container = try republic()
    let first = ManagedObjectContext(parent: container.coordinator)
    let port = first.port("A", code: "A")
    first.port("B")
    let sailor = Sailor(context: first)
    sailor.name = "S"
    sailor.wage = 1
    first.ship("ship", tonnage: 1, in: port).crew.insert(sailor)
    Barge(context: first).tanker = first.tanker("tanker", tonnage: 2, in: port)
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

  /// The wrong derived values of the store.
  func mistakes() throws -> [String] {
    try ManagedObjectContext(parent: container.coordinator).derivedMistakes()
  }

  /// The stored values of the port of this name.
  func stored<T>(_ name: String, _ body: (Port) throws -> T) throws -> T {
    let context = ManagedObjectContext(parent: container.coordinator)
    return try body(context.port(named: name))
  }
}

extension ManagedObjectContext {
  fileprivate func port(named name: String) throws -> Port {
    try #require(try fetch(Port.where { $0.name == name }).first)
  }

  fileprivate func ship(named name: String) throws -> Ship {
    try #require(try fetch(Ship.where { $0.name == name }).first)
  }
}

private let givingWay: [MergePolicy] = [
  .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
]

@Suite struct `A derived attribute in the store` {
  @Test func `counts the members that another context has added`() throws {
    let rivals = try HarbourRivals()
    rivals.theirs.ship("x", tonnage: 10, in: try rivals.theirs.port(named: "A"))
    let port = try rivals.ours.port(named: "A")
    try rivals.theirs.save()
    rivals.ours.ship("y", tonnage: 100, in: port)
    try rivals.ours.save()
    #expect(try rivals.stored("A") { [$0.shipCount, $0.tonnage] } == [4, 113])
    #expect(port.shipCount == 4 && port.tonnage == 113, "the saver shows what is stored")
    #expect(!rivals.ours.hasChanges)
  }

  @Test func `is in no conflict, although two contexts change its members`() throws {
    let rivals = try HarbourRivals()
    let port = try rivals.ours.port(named: "A")
    port.name = "AA"
    rivals.theirs.ship("x", in: try rivals.theirs.port(named: "A"))
    try rivals.theirs.save()
    try rivals.ours.save()
    #expect(try rivals.stored("AA") { $0.shipCount } == 3)
    #expect(try rivals.mistakes() == [])
  }

  @Test func `copies another context's new name to members of a stale context`() throws {
    let rivals = try HarbourRivals()
    let port = try rivals.ours.port(named: "A")
    try rivals.theirs.port(named: "A").name = "AA"
    try rivals.theirs.save()
    let ship = rivals.ours.ship("x", in: port)
    try rivals.ours.save()
    #expect(ship.portName == "AA")
    #expect(try rivals.mistakes() == [])
  }

  @Test func `is copied to members that another context has added`() throws {
    let rivals = try HarbourRivals()
    let port = try rivals.ours.port(named: "A")
    let added = rivals.theirs.tanker("x", in: try rivals.theirs.port(named: "A"))
    Barge(context: rivals.theirs).tanker = added
    try rivals.theirs.save()
    port.name = "AA"
    try rivals.ours.save()
    #expect(try rivals.mistakes() == [])
  }

  @Test(arguments: givingWay)
  func `is the value for the properties that the merge policy has chosen`(_ policy: MergePolicy)
    throws
  {
    let rivals = try HarbourRivals(policy)
    for (context, plate) in [(rivals.ours, "Éo"), (rivals.theirs, "ET")] {
      let tanker = try #require(try context.fetch(Tanker.all).first)
      tanker.plate = plate
      tanker.tonnage = plate == "ET" ? 5 : 7
      if plate == "ET" {
        tanker.name = "theirs"
      } else {
        tanker.port = try context.port(named: "B")
      }
    }
    try rivals.theirs.save()
    try rivals.ours.save()
    let reader = ManagedObjectContext(parent: rivals.container.coordinator)
    let tanker = try #require(try reader.fetch(Tanker.all).first)
    #expect(tanker.searchPlate == (tanker.plate == "ET" ? "et" : "eo"))
    tanker.plate = nil
    #expect(try reader.derivedMistakes().filter { !$0.hasPrefix("Ship.searchPlate") } == [])
  }

  @Test func `follows the decisions of a custom policy`() throws {
    let rivals = try HarbourRivals()
    rivals.ours.mergePolicy = .custom("sum") { _ in .values(["tonnage": .int(50)]) }
    try rivals.ours.ship(named: "ship").tonnage = 10
    try rivals.theirs.ship(named: "ship").tonnage = 20
    try rivals.theirs.save()
    try rivals.ours.save()
    #expect(try rivals.stored("A") { $0.tonnage } == 52)
  }

  @Test func `cannot be given by a policy of the program's own`() throws {
    let rivals = try HarbourRivals()
    rivals.ours.mergePolicy = .custom("lie") { _ in .values(["crewCount": .int(9)]) }
    try rivals.ours.ship(named: "ship").tonnage = 10
    try rivals.theirs.ship(named: "ship").tonnage = 20
    try rivals.theirs.save()
    try rivals.ours.save()
    #expect(try rivals.mistakes() == [])
  }

  @Test(arguments: givingWay)
  func `counts the members that a constraint has given to the survivor`(_ policy: MergePolicy)
    throws
  {
    let rivals = try HarbourRivals(policy)
    let twin = rivals.ours.port("twin", code: "A")
    rivals.ours.ship("x", tonnage: 4, in: twin)
    try rivals.ours.save()
    #expect(try rivals.mistakes() == [])
    let reader = ManagedObjectContext(parent: rivals.container.coordinator)
    let port = try #require(try reader.fetch(Port.where { $0.code == "A" }).first)
    #expect(port.shipCount == 3 && port.tonnage == 7)
  }

  @Test(arguments: givingWay)
  func `may be unique, and its conflict ends by the policy`(_ policy: MergePolicy) throws {
    let rivals = try HarbourRivals(policy)
    let ship = rivals.theirs.ship("x", in: try rivals.theirs.port(named: "A"))
    ship.plate = "Ä1"
    try rivals.theirs.save()
    let twin = rivals.ours.ship("y", in: try rivals.ours.port(named: "B"))
    twin.plate = "a1"
    try rivals.ours.save()
    let reader = ManagedObjectContext(parent: rivals.container.coordinator)
    #expect(try reader.fetch(Ship.where { $0.searchPlate == "a1" }).count == 1)
    #expect(try reader.derivedMistakes().filter { !$0.hasPrefix("Ship.searchPlate") } == [])
  }

  @Test func `counts a member whose deletion the policy has dropped`() throws {
    let rivals = try HarbourRivals(.mergeByPropertyStoreTrump)
    let ship = try rivals.ours.ship(named: "ship")
    let port = try rivals.ours.port(named: "A")
    rivals.ours.delete(ship)
    try rivals.theirs.ship(named: "ship").tonnage = 20
    try rivals.theirs.save()
    try rivals.ours.save()
    #expect(try rivals.stored("A") { [$0.shipCount, $0.tonnage] } == [2, 22])
    #expect(port.shipCount == 2)
    #expect(try rivals.mistakes() == [])
  }

  #if DEBUG
    @Test func `is wrong if the policy's decisions are left out`() throws {
      let rivals = try HarbourRivals(.mergeByPropertyStoreTrump)
      PlantedFault.plant(.decidedUnderived, in: rivals.container.coordinator.schema)
      defer { PlantedFault.plant(nil, in: rivals.container.coordinator.schema) }
      rivals.ours.delete(try rivals.ours.ship(named: "ship"))
      try rivals.theirs.ship(named: "ship").tonnage = 20
      try rivals.theirs.save()
      try rivals.ours.save()
      #expect(try rivals.mistakes() != [])
    }
  #endif

  @Test func `counts no member that another context has deleted`() throws {
    let rivals = try HarbourRivals(.mergeByPropertyStoreTrump)
    try rivals.ours.ship(named: "ship").port = try rivals.ours.port(named: "B")
    rivals.theirs.delete(try rivals.theirs.ship(named: "ship"))
    try rivals.theirs.save()
    try rivals.ours.save()
    #expect(try rivals.stored("B") { $0.shipCount } == 0)
    #expect(try rivals.mistakes() == [])
  }

  @Test func `counts a member that .overwrite brings back`() throws {
    let rivals = try HarbourRivals(.overwrite)
    try rivals.ours.ship(named: "ship").tonnage = 8
    rivals.theirs.delete(try rivals.theirs.ship(named: "ship"))
    try rivals.theirs.save()
    try rivals.ours.save()
    #expect(try rivals.stored("A") { [$0.shipCount, $0.tonnage] } == [2, 10])
    #expect(try rivals.mistakes() == [])
  }

  @Test func `follows a delete rule that has run at the store`() throws {
    let rivals = try HarbourRivals(.mergeByPropertyObjectTrump)
    rivals.ours.delete(try rivals.ours.port(named: "A"))
    let ship = rivals.theirs.ship("x", in: try rivals.theirs.port(named: "A"))
    ship.crew.insert(try #require(try rivals.theirs.fetch(Sailor.all).first))
    try rivals.theirs.save()
    try rivals.ours.save()
    #expect(try rivals.mistakes() == [])
    let reader = ManagedObjectContext(parent: rivals.container.coordinator)
    #expect(try reader.fetch(Ship.all).isEmpty)
  }

  @Test func `follows links that two contexts have made and members that they changed`() throws {
    let rivals = try HarbourRivals()
    let sailor = Sailor(context: rivals.theirs)
    sailor.wage = 4
    try rivals.theirs.ship(named: "ship").crew.insert(sailor)
    try rivals.theirs.save()
    let ours = try #require(try rivals.ours.fetch(Sailor.where { $0.name == "S" }).first)
    ours.wage = 2
    try #require(try rivals.ours.fetch(Tanker.all).first).crew.insert(ours)
    try rivals.ours.save()
    #expect(try rivals.mistakes() == [])
  }

  @Test func `of a refused save is no edit, and overwrites nothing later`() throws {
    let rivals = try HarbourRivals()
    let port = try rivals.ours.port(named: "A")
    rivals.ours.ship("x", tonnage: 10, in: port)
    let ship = try rivals.ours.ship(named: "ship")
    ship.tonnage = 3
    try rivals.theirs.ship(named: "ship").tonnage = 20
    try rivals.theirs.save()
    #expect { try rivals.ours.save() } throws: { $0.isConflict }
    #expect(!port.isUpdated && port.changedValues().isEmpty)
    rivals.ours.refresh(ship, mergeChanges: false)
    try rivals.ours.port(named: "A").name = "AA"
    try rivals.ours.save()
    #expect(try rivals.stored("AA") { [$0.shipCount, $0.tonnage] } == [3, 32])
    #expect(try rivals.mistakes() == [])
  }

  @Test func `is no edit of the object, which willSave is not called for`() throws {
    let rivals = try HarbourRivals()
    let port = try rivals.ours.port(named: "A")
    rivals.ours.ship("x", in: port)
    let log = MessageLog(rivals.ours.layer)
    try rivals.ours.save()
    let told = try #require(log.messages(.willSave).last?.objects)
    #expect(!told.inserted.isEmpty && !told.inserted.contains(port.objectID))
    #expect(told.changedProperties(of: port.objectID) != ["shipCount"])
    let saved = try #require(log.messages(.didSave).last?.objects)
    #expect(saved.updated.contains(port.objectID))
  }

  @Test func `that is now stays where nothing else of the object is written`() throws {
    let rivals = try HarbourRivals(.mergeByPropertyStoreTrump)
    let port = try rivals.ours.port(named: "A")
    port.name = "ours"
    let theirs = try rivals.theirs.port(named: "A")
    theirs.name = "theirs"
    try rivals.theirs.save()
    let date = try #require(theirs.savedAt)
    try rivals.ours.save()
    #expect(port.name == "theirs" && port.savedAt == date)
    #expect(try rivals.stored("theirs") { $0.savedAt } == date)
  }

  @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .overwrite])
  func `that is now is the date of the save that has written the object`(
    _ policy: MergePolicy
  ) throws {
    let rivals = try HarbourRivals(policy)
    let port = try rivals.ours.port(named: "A")
    port.name = "ours"
    try rivals.theirs.port(named: "A").name = "theirs"
    try rivals.theirs.save()
    let start = Date()
    try rivals.ours.save()
    #expect(try #require(port.savedAt) >= start)
    #expect(try rivals.stored("ours") { $0.savedAt } == port.savedAt)
  }

  @Test func `leaves the external attributes of its object as they are`() throws {
    let rivals = try HarbourRivals()
    let picture = Data(repeating: 7, count: 9_000)
    try rivals.theirs.ship(named: "ship").picture = picture
    try rivals.theirs.save()
    try rivals.ours.port(named: "A").name = "AA"
    try rivals.ours.save()
    #expect(try rivals.mistakes() == [])
    let reader = ManagedObjectContext(parent: rivals.container.coordinator)
    #expect(try reader.ship(named: "ship").picture == picture)
    #expect(try reader.ship(named: "ship").portName == "AA")
  }

  @Test func `reaches contexts that merge automatically, and those that fetch again`() async throws
  {
    let container = try republic()
    let id = try await container.root.perform { context in
      let port = context.port("A")
      try context.save()
      return port.objectID
    }
    let child = ContextQueue(parent: container.root)
    try await child.perform { context in
      context.automaticallyMergesChangesFromParent = true
      let port = try context.existingObject(Port.self, with: id)
      #expect(port.shipCount == 0)
    }
    try await ContextQueue(parent: container.coordinator).perform { context in
      context.ship("x", in: try context.existingObject(Port.self, with: id))
      try context.save()
    }
    for queue in [container.root, child] {
      try await queue.perform { context in
        let port = try context.existingObject(Port.self, with: id)
        context.refresh(port, mergeChanges: true)
        #expect(port.shipCount == 1)
      }
    }
  }

  @Test func `follows a batch delete over members that a stale context has moved`() throws {
    let rivals = try HarbourRivals()
    let port = try rivals.ours.port(named: "B")
    let ship = try rivals.ours.ship(named: "ship")
    _ = try rivals.container.coordinator.execute(BatchDeleteRequest(Tanker.all))
    #expect(try rivals.mistakes() == [])
    ship.port = port
    try rivals.ours.save()
    #expect(try rivals.mistakes() == [])
    #expect(try rivals.stored("A") { $0.shipCount } == 0)
  }
}

/// A save adds two crates to a list and takes one away. Then one of the two gives way to a crate
/// with the same unique values that others have saved: their number rises by one first, and ends as
/// it is stored.
@Suite struct `A count that ends as it was` {
  private let container: PersistentContainer
  private let ours: ManagedObjectContext
  private let before: HistoryToken

  /// A rack with four crates, of which others have saved the last, and our changes of it.
  init() async throws {
    container = try republic()
    let first = ManagedObjectContext(parent: container.coordinator)
    let rack = Rack(context: first)
    rack.code = "R"
    for number in 0..<3 { rack.wares.append(Self.crate("\(number)", in: first)) }
    try first.save()
    try await container.coordinator.keepHistory()
    ours = ManagedObjectContext(parent: container.coordinator)
    ours.mergePolicy = .mergeByPropertyObjectTrump
    let ourRack = try #require(try ours.fetch(Rack.all).first)
    ourRack.wares.append(Self.crate("new", in: ours))
    ourRack.wares.append(Self.crate("other", in: ours))
    let theirs = ManagedObjectContext(parent: container.coordinator)
    let theirRack = try #require(try theirs.fetch(Rack.all).first)
    theirRack.wares.append(Self.crate("new", in: theirs))
    try theirs.save()
    before = try #require(try container.transactions().last).token
  }

  private static func crate(_ label: String, in context: ManagedObjectContext) -> Crate {
    let crate = Crate(context: context)
    crate.label = label
    return crate
  }

  private func deleteFirst() throws {
    ours.delete(try #require(try ours.fetch(Crate.where { $0.label == "0" }).first))
  }

  private func changesOfRack() throws -> Set<String> {
    let changes = try container.transactions(after: before).flatMap { Array($0.changes) }
    return Set(changes.first { $0.objectID.entityName == "Rack" }?.updatedProperties ?? [])
  }

  @Test func `is no change of the history`() throws {
    try deleteFirst()
    try ours.save()
    #expect(try container.transactions(after: before).count == 1)
    let properties = try changesOfRack()
    #expect(!properties.contains("wareCount"))
  }

  @Test func `is right in the store and in the context`() throws {
    try deleteFirst()
    try ours.save()
    let rack = try #require(try ours.fetch(Rack.all).first)
    #expect(rack.wareCount == 4)
    let found = try ManagedObjectContext(parent: container.coordinator).derivedMistakes()
    #expect(found == [])
  }

  @Test func `is a change if it does not`() throws {
    try ours.save()
    let properties = try changesOfRack()
    #expect(properties.contains("wareCount"))
    let found = try ManagedObjectContext(parent: container.coordinator).derivedMistakes()
    #expect(found == [])
  }
}
