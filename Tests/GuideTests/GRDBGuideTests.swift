// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of ComingFromGRDB.md, part by part.
@Suite struct `The guide for users of GRDB` {
  // begin model
  @Entity final class Team: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Player.team) var players: ToMany<Player>
  }

  @Entity final class Player: ManagedObject {
    var name: String
    @Attribute(.indexed) var score: Int = 0
    var team: Team?
  }
  // end

  @Test func `does what GRDB's code does`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("players.strata")
    // begin opening
    let store = try PersistentStoreCoordinator(
      at: url, model: ManagedObjectModel(Team.self, Player.self))
    // end

    // begin writing
    let queue = ContextQueue(parent: store)
    let id = try await queue.perform { context in
      let team = try context.upsert(Team.self, matching: \.name, equals: "Red")
      let player = Player(context: context)
      (player.name, player.score, player.team) = ("Arthur", 100, team)
      try context.save()  // a transaction: all of it or nothing
      return player.objectID
    }
    // end

    // begin reading
    let names = try await ContextQueue(parent: store).perform { context in
      try context.fetch(
        Player.where { $0.score >= 100 }.sorted(by: \.score, order: .reverse).limit(10)
          .select(\.name))
    }
    // end
    #expect(names == ["Arthur"])

    // begin joining
    let ranking = Player.all
      .select { ($0.team.name, $0.rowCount(), $0.score.max()) }
      .grouped { $0.team.name }
      .sorted(by: { $0.score.max() }, order: .reverse)
    let rows = try await queue.perform { try $0.fetch(ranking) }
    // end
    #expect(rows.count == 1)
    #expect(rows.first?.0 == "Red")

    // begin updating
    try await queue.perform { context in
      try context.existingObject(Player.self, with: id).score += 10
      try context.save()
    }
    try await store.execute(
      BatchUpdateRequest(Player.where { $0.score > 0 }).setting(\.score) { $0.score + 1 })
    // end
    let score = try await ContextQueue(parent: store).perform { context in
      try context.existingObject(Player.self, with: id).score
    }
    #expect(score == 111)

    // begin observing
    let best = Player.where { $0.score >= 100 }.sorted(by: \.name).select(\.name, \.score)
    for try await rows in store.values(of: best) {
      print(rows)  // at once, and after each commit that may concern them
      break
    }
    // end
  }
}
