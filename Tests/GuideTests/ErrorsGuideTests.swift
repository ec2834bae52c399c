// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of Errors.md, part by part.
@Suite struct `The guide to errors` {
  @Entity final class Team: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .deny, inverse: \Player.team) var players: ToMany<Player>
  }

  @Entity final class Player: ManagedObject {
    @Attribute(.length(1...40)) var name: String
    var picture: Data?
    var team: Team?
  }

  @Test func `says the problem, the reason and the remedy`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("no folder").appending(path: "teams.strata")
    let model = try Self.model()
    // begin texts
    do {
      _ = try PersistentContainer(at: url, model: model)
    } catch {
      print(error.localizedDescription)  // the problem
      if let error = error as? any LocalizedError {
        print(error.failureReason ?? "", error.recoverySuggestion ?? "")
      }
    }
    // end
    let error = try #require(throws: StoreError.self) {
      try PersistentContainer(at: url, model: model)
    }
    #expect(error.recoverySuggestion?.isEmpty == false)
  }

  // begin opening
  /// Opens the store; nil if the user has to do something first.
  func open(_ url: URL, _ model: ManagedObjectModel) throws -> PersistentContainer? {
    do {
      return try PersistentContainer(at: url, model: model)
    } catch StoreError.modelMismatch(let differences) {
      // A mistake of the program: the model has changed in a way that needs a migration.
      for difference in differences { print(difference) }
    } catch StoreError.unsupportedFormat, StoreError.laterModel {
      print("The file is of a later version of this program. Install that version.")
    } catch StoreError.notAStrataStore(let path), StoreError.permissionDenied(let path) {
      print("\(path) cannot be opened. Choose another file, or change its mode.")
    } catch StoreError.damaged(_, _, let reason) {
      print("The file is damaged (\(reason)). Restore the last backup.")
    }
    return nil
  }
  // end

  @Test func `opens a store, and no other file`() throws {
    let folder = try TemporaryDirectory()
    let model = try Self.model()
    let other = folder.file("letter.txt")
    try Data("Dear Sir or Madam".utf8).write(to: other)
    #expect(try open(other, model) == nil)
    #expect(try String(contentsOf: other, encoding: .utf8) == "Dear Sir or Madam")
    #expect(try open(folder.file("teams.strata"), model) != nil)
  }

  @Test func `names every object that breaks a rule`() throws {
    let container = try PersistentContainer(inMemory: Self.model())
    let context = ManagedObjectContext(parent: container.root)
    let player = Player(context: context)
    // begin validation
    do {
      try context.save()
    } catch ContextError.validationFailed(let failures) {
      for failure in failures {
        print(failure.entity, failure.property ?? "", failure.message)
      }
      // Everything is still unsaved: mend the objects and save again, or roll back.
    }
    // end
    // begin field
    let failures = try player.validationFailures(of: \Player.name)
    let isValid = failures.isEmpty
    // end
    #expect(!isValid)
    #expect(context.hasChanges)
    player.name = "Marta"
    try context.save()
  }

  @Test func `names the relationship that denies a deletion`() throws {
    let container = try PersistentContainer(inMemory: Self.model())
    let context = ManagedObjectContext(parent: container.root)
    let (team, player) = (Team(context: context), Player(context: context))
    (player.name, player.team) = ("Marta", team)
    try context.save()
    // begin denied
    context.delete(team)
    do {
      try context.save()
    } catch ContextError.deleteDenied(let denials) {
      for denial in denials { print(denial.entity, "has", denial.property) }
      context.rollback()
    }
    // end
    #expect(!team.isDeleted)
  }

  // begin saving
  /// The next step of a program after a save to the disk that failed.
  enum Reaction { case repeatWork, mend, wait, freeSpace, restart, reopen, giveUp }

  func reaction(to error: any Error) -> Reaction {
    switch error {
    case is AncestorSaveError: .mend
    case ContextError.validationFailed, ContextError.deleteDenied: .mend
    case StoreError.uniquenessViolations, StoreError.countViolations: .mend
    case StoreError.conflicts, StoreError.danglingLinks, StoreError.serialsUnreserved: .repeatWork
    case StoreError.storeBusy: .wait
    case StoreError.diskFull, StoreError.storeFull: .freeSpace
    case StoreError.modelChanged: .restart
    case StoreError.fileReplaced: .reopen
    default: .giveUp
    }
  }
  // end

  @Test func `finds the error of an ancestor`() async throws {
    let container = try PersistentContainer(inMemory: Self.model())
    let worker = container.newBackgroundContext()
    try await container.root.perform { context in
      for _ in 1...2 { Team(context: context).name = "Orlando" }
    }
    let error = await #expect(throws: AncestorSaveError.self) {
      try await worker.save(to: .store)
    }
    #expect(reaction(to: try #require(error)) == .mend)
    #expect(reaction(to: StoreError.storeBusy(processID: nil)) == .wait)
  }

  @Test func `keeps everything when there is no room`() async throws {
    let folder = try TemporaryDirectory()
    let (url, model) = (folder.file("teams.strata"), try Self.model())
    // begin full
    let coordinator = try PersistentStoreCoordinator(
      at: url, model: model, maximumByteCount: 1 << 20)
    let queue = ContextQueue(parent: coordinator)
    try await queue.perform { context in
      for number in 1...100 {
        let player = Player(context: context)
        player.name = "Player \(number)"
        player.picture = Data(count: 20_000)
      }
    }
    do {
      try await queue.save()
    } catch StoreError.diskFull, StoreError.storeFull {
      // Nothing was written, and everything is still unsaved.
      try await queue.perform { context in
        for player in context.insertedObjects(of: Player.self) { player.picture = nil }
      }
      try await queue.save()
    }
    // end
    let count = try await queue.perform { try $0.count(Player.all) }
    #expect(count == 100)
  }

  @Test func `loses nothing when a read fails in a getter`() async throws {
    let container = try PersistentContainer(inMemory: Self.model())
    try await container.root.perform { context in
      // begin not-found
      let player = Player(context: context)
      player.name = "Marta"
      try context.save()
      let id = player.objectID
      context.delete(player)
      try context.save()
      do {
        _ = try context.existingObject(Player.self, with: id)
      } catch ContextError.objectNotFound {
        print("It was deleted.")
      }
      // end
      #expect(throws: ContextError.objectNotFound(id)) {
        try context.existingObject(Player.self, with: id)
      }
    }
  }

  @Test func `refuses a format that a user has mistyped`() throws {
    // begin query
    do {
      _ = try FetchPredicate(format: "name BEGINSWITH")
    } catch {
      print(error)  // the place, and the words that may stand there
    }
    // end
    #expect(throws: PredicateFormatError.self) { try FetchPredicate(format: "name BEGINSWITH") }
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Team.self, Player.self)
  }
}
