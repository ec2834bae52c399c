// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import Testing

@Suite struct `Validation through nested contexts` {
  @Test func `refuses a child's save, which pushes nothing and stays to be mended`() throws {
    let container = try republic()
    let worker = container.newBackgroundContext()
    try worker.performAndWait { context in
      let team = context.team("A name that is too long")
      try context.expectRefusals(["Team.name .length(1...12)"])
      #expect(team.isInserted && team.players.allSatisfy { $0.isInserted })
      let count = try container.root.performAndWait { root in
        #expect(!root.hasChanges)
        return try root.count(Player.all)
      }
      #expect(count == 0)
      team.name = "Short"
      try context.save()
      #expect(!context.hasChanges)
    }
    let names = try container.root.performAndWait { try $0.fetch(Team.all).map(\.name) }
    #expect(names == ["Short"])
    try container.root.performAndWait { try $0.save() }
  }

  @Test func `refuses a child's save inside its parent's turn`() throws {
    try republic().root.performAndWait { context in
      let child = ManagedObjectContext(parent: context)
      let team = child.team(playerCount: 1)
      try child.expectRefusals(["Team.players .count(2...4)"])
      #expect(!context.hasChanges && child.hasChanges)
      child.player("B", in: team)
      try child.expectRefusals([])
      #expect(context.hasChanges)
      try context.expectRefusals([])
    }
  }

  @Test func `counts the members that came together at the parent`() throws {
    let container = try republic()
    let id = try container.root.performAndWait { context in
      let team = context.team()
      try context.save()
      return team.objectID
    }
    let workers = [container.newBackgroundContext(), container.newBackgroundContext()]
    // Each sees the team as it was and adds two.
    try workers[0].performAndWait { first in
      let team = try first.existingObject(Team.self, with: id)
      for name in ["C", "D"] { first.player(name, in: team) }
      try workers[1].performAndWait { second in
        let team = try second.existingObject(Team.self, with: id)
        for name in ["E", "F"] { second.player(name, in: team) }
        try second.expectRefusals([])
      }
      // The view of this turn was taken before.
      try first.expectRefusals([])
    }
    try container.root.performAndWait { context in
      let failures = try #require(
        #expect(throws: ContextError.self) { try context.save() }?.failures)
      #expect(failures.map(\.summary) == ["Team.players .count(2...4)"])
      #expect(failures.map(\.value) == [.int(6)])
      #expect(failures.map(\.objectID) == [id])
      let team = try context.existingObject(Team.self, with: id)
      for player in Array(team.players).suffix(2) { context.delete(player) }
      try context.expectRefusals([])
    }
  }

  @Test func `asks again at the parent of an object that two children have made together`() throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Span.self))
    let id = try container.root.performAndWait { context in
      let span = Span(context: context)
      span.upper = 10
      try context.save()
      return span.objectID
    }
    let workers = [container.newBackgroundContext(), container.newBackgroundContext()]
    try workers[0].performAndWait { first in
      try first.existingObject(Span.self, with: id).lower = 8
      try workers[1].performAndWait { second in
        try second.existingObject(Span.self, with: id).upper = 5
        try second.save()
      }
      try first.save()
    }
    try container.root.performAndWait { context in
      try context.expectRefusals(["Span validateForUpdate"])
      try context.existingObject(Span.self, with: id).lower = 5
      try context.expectRefusals([])
    }
  }

  @Test func `refuses at the parent the effects of a deletion there on a child's objects`() throws {
    let container = try republic()
    let id = try container.root.performAndWait { context in
      let player = context.player("A")
      try context.save()
      return player.objectID
    }
    let worker = container.newBackgroundContext()
    try container.root.performAndWait { context in
      context.delete(try context.existingObject(Player.self, with: id))
    }
    // The worker has read the player before it was deleted.
    try worker.performAndWait { context in
      let pass = Pass(context: context)
      pass.owner = context.player("B")
      try context.save()
    }
    try container.root.performAndWait { context in
      context.delete(try #require(try context.fetch(Player.where { $0.name == "B" }).first))
      try context.expectRefusals(["Pass.owner .required"])
      for pass in try context.fetch(Pass.all) { context.delete(pass) }
      try context.expectRefusals([])
    }
  }

  @Test func `validates a child's save that arrives during it`() throws {
    let container = try republic()
    let worker = container.newBackgroundContext()
    let id = try container.root.performAndWait { context in
      let team = context.team(playerCount: 3)
      try context.save()
      return team.objectID
    }
    // It reads the team as it is now, and adds one when the root is about to look at its own.
    let late = HeldThread { thread in
      try worker.performAndWait { context in
        let team = try context.existingObject(Team.self, with: id)
        thread.hold()
        context.player("late", in: team)
        try context.save()
      }
    }
    late.untilHeld()
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.willSaveNotification, object: container.root.layer, queue: nil
    ) { _ in
      late.letGo()
      #expect(throws: Never.self) { try late.finish() }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try container.root.performAndWait { context in
      context.player("D", in: try context.existingObject(Team.self, with: id))
      try context.expectRefusals(["Team.players .count(2...4)"])
    }
  }

  @Test func `names the level whose save was refused`() async throws {
    let container = try republic()
    let worker = container.newBackgroundContext()
    try await container.root.perform { _ = $0.team(playerCount: 0) }
    try await worker.perform { _ = $0.team() }
    let error = await #expect(throws: AncestorSaveError.self) {
      try await worker.save(to: .store)
    }
    #expect(error?.level == 1)
    let failures = (error?.underlyingError as? ContextError)?.failures
    #expect(failures?.map(\.summary) == ["Team.players .required"])
  }
}

/// A rule over several attributes.
@Entity private final class Span: ManagedObject {
  var lower: Int = 0
  var upper: Int = 0

  override func validateForInsert() throws { try validate() }
  override func validateForUpdate() throws { try validate() }

  private func validate() throws {
    struct Reversed: Error {}
    if lower > upper { throw Reversed() }
  }
}
