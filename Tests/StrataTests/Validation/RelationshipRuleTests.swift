// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Suite struct `A rule of a relationship` {
  @Test func `that it is required refuses an object without target`() throws {
    try republic().root.performAndWait { context in
      let pass = Pass(context: context)
      try context.expectRefusals(["Pass.owner .required"])
      pass.owner = context.player("A")
      try context.expectRefusals([])
      pass.owner = nil
      try context.expectRefusals(["Pass.owner .required"])
    }
  }

  @Test func `that it is required refuses the deletion of the target, which nullifies it`() throws {
    try republic().root.performAndWait { context in
      let player = context.player("A")
      let pass = Pass(context: context)
      pass.owner = player
      try context.save()
      context.delete(player)
      try context.expectRefusals(["Pass.owner .required"])
      context.delete(pass)
      try context.expectRefusals([])
    }
  }

  @Test func `that it is required wants at least one member`() throws {
    try republic().root.performAndWait { context in
      let team = context.team(playerCount: 0)
      try context.expectRefusals(["Team.players .required"])
      team.players.insert(context.player("A"))
      try context.expectRefusals(["Team.players .count(2...4)"])
    }
  }

  @Test func `counts members that come and go, though the owner's record stays as it is`() throws {
    try republic().root.performAndWait { context in
      let team = context.team(playerCount: 4)
      try context.save()
      let fifth = context.player("E", in: team)
      #expect(!team.hasChanges)
      let failures = try #require(
        #expect(throws: ContextError.self) { try context.save() }?.failures)
      #expect(failures.map(\.summary) == ["Team.players .count(2...4)"])
      #expect(failures.map(\.objectID) == [team.objectID])
      #expect(failures.map(\.value) == [.int(5)])
      fifth.team = nil
      try context.expectRefusals([])
      for player in Array(team.players).prefix(3) { context.delete(player) }
      try context.expectRefusals(["Team.players .count(2...4)"])
    }
  }

  @Test func `counts both ends of a move`() throws {
    try republic().root.performAndWait { context in
      let (full, small) = (context.team("Full", playerCount: 4), context.team("Small"))
      try context.save()
      for player in full.players { player.team = small }
      let refused = try context.refusals()
      #expect(refused == ["Team.players .required", "Team.players .count(2...4)"])
      for player in Array(small.players).suffix(2) { player.team = full }
      let left = try context.refusals()
      #expect(left == [])
    }
  }

  @Test func `wants the least count of a relationship only if it has members`() throws {
    try republic().root.performAndWait { context in
      let pool = Pool(context: context)
      try context.expectRefusals([])
      pool.players.insert(context.player("A"))
      try context.expectRefusals(["Pool.players .count(2...)"])
      pool.players.insert(context.player("B"))
      try context.expectRefusals([])
    }
  }

  @Test func `counts links of two to-many sides, from either`() throws {
    try republic().root.performAndWait { context in
      let team = context.team()
      let sponsors = ["A", "B", "C"].map { context.sponsor($0) }
      team.sponsors.insert(sponsors[0])
      sponsors[1].teams.insert(team)
      try context.save()
      sponsors[2].teams.insert(team)
      try context.expectRefusals(["Team.sponsors .count(0...2)"])
      team.sponsors.remove(sponsors[0])
      try context.expectRefusals([])
    }
  }

  @Test func `counts no member that the save deletes`() throws {
    try republic().root.performAndWait { context in
      let team = context.team()
      let sponsors = ["A", "B", "C"].map { context.sponsor($0) }
      for sponsor in sponsors.dropLast() { team.sponsors.insert(sponsor) }
      try context.save()
      team.sponsors.insert(sponsors[2])
      context.delete(sponsors[0])
      try context.expectRefusals([])
      #expect(team.sponsors.count == 2)
    }
  }

  @Test func `is not asked of an owner that the save deletes`() throws {
    try republic().root.performAndWait { context in
      let team = context.team()
      try context.save()
      for player in team.players { context.delete(player) }
      try context.expectRefusals(["Team.players .required"])
      context.delete(team)
      try context.expectRefusals([])
    }
  }

  @Test func `loads no member`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.team(playerCount: 4)
      try context.save()
    }
    let reader = ContextQueue(parent: container.coordinator)
    try reader.performAndWait { context in
      let team = try #require(try context.fetch(Team.all).first)
      team.rank = 2
      context.player("E", in: team)
      try context.expectRefusals(["Team.players .count(2...4)"])
      let players = context.registeredObjects.filter { $0 is Player }
      #expect(players.allSatisfy { $0.isInserted })
    }
  }
}
