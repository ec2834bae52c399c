// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

/// A team with three of its four players and one of its two sponsors, and two contexts on the store
/// that have seen so.
@Suite struct `Two saves that add members of which the other does not know` {
  private let roots: [ContextQueue]
  private let team: ObjectID

  init() throws {
    let container = try republic()
    roots = [container.root, ContextQueue(parent: container.coordinator)]
    team = try container.root.performAndWait { context in
      let team = context.team(playerCount: 3)
      team.sponsors.insert(context.sponsor("First"))
      try context.save()
      return team.objectID
    }
  }

  /// Has both roots add a member in one turn each, before either saves.
  private func addMembers(
    under policy: MergePolicy, _ add: @Sendable (ManagedObjectContext, Team) throws -> Void
  ) throws {
    for root in roots {
      try root.performAndWait { context in
        context.mergePolicy = policy
        try add(context, context.existingObject(Team.self, with: team))
      }
    }
  }

  @Test(arguments: [MergePolicy.error, .mergeByPropertyObjectTrump, .rollback])
  func `are refused where there would be too many, whatever the merge policy`(
    _ policy: MergePolicy
  ) throws {
    try addMembers(under: policy) { context, team in context.player("Fourth", in: team) }
    // A save checks counts with a view of its own; the second root's is as old as its turn.
    try roots[1].performAndWait { second in
      _ = try second.count(Player.all)
      try roots[0].performAndWait { try $0.save() }
      do {
        try second.save()
        Issue.record("the save went through")
      } catch StoreError.countViolations(let found) {
        #expect(found.map(\.objectID) == [team])
        #expect(found.map(\.property) == ["players"])
        #expect(found.map(\.count) == [5])
        #expect(found.map(\.max) == [4])
        #expect(found.first?.description.contains("remove some") == true)
      }
      #expect(second.hasChanges)
      let reader = ManagedObjectContext(parent: second.coordinator)
      #expect(try reader.existingObject(Team.self, with: team).players.count == 4)
    }
    try roots[1].performAndWait { context in
      context.delete(try #require(context.insertedObjects.first))
      try context.save()
      let count = try context.existingObject(Team.self, with: team).players.count
      #expect(count == 4)
    }
  }

  @Test func `go through when others are taken out of the refreshed relationship`() throws {
    try addMembers(under: .error) { context, team in context.player("Fourth", in: team) }
    try roots[1].performAndWait { second in
      _ = try second.count(Player.all)
      try roots[0].performAndWait { try $0.save() }
      #expect { try second.save() } throws: {
        if case StoreError.countViolations = $0 { true } else { false }
      }
      let team = try second.existingObject(Team.self, with: team)
      second.refresh(team, mergeChanges: true)
      #expect(team.players.count == 5)
      try #require(team.players.first { $0.name == "Reds 0" }).team = nil
      try second.save()
      let names = team.players.map(\.name).sorted()
      #expect(names == ["Fourth", "Fourth", "Reds 1", "Reds 2"])
    }
  }

  @Test func `are refused with the names of all relationships that would be too large`() throws {
    try addMembers(under: .error) { context, team in
      context.player("Fourth", in: team)
      team.sponsors.insert(context.sponsor("Second"))
    }
    try roots[1].performAndWait { second in
      _ = try second.count(Player.all)
      try roots[0].performAndWait { try $0.save() }
      do {
        try second.save()
        Issue.record("the save went through")
      } catch StoreError.countViolations(let found) {
        #expect(found.map(\.property).sorted() == ["players", "sponsors"])
        #expect(found.allSatisfy { $0.objectID == team })
      }
    }
  }

  @Test func `are refused where the links are kept beside the objects, too`() throws {
    try addMembers(under: .error) { context, team in team.sponsors.insert(context.sponsor("Second"))
    }
    try roots[1].performAndWait { second in
      _ = try second.count(Sponsor.all)
      try roots[0].performAndWait { try $0.save() }
      #expect { try second.save() } throws: {
        if case StoreError.countViolations = $0 { true } else { false }
      }
    }
  }

  @Test func `go through while there is room, also for a member that takes another's place`() throws
  {
    try roots[1].performAndWait { second in
      let team = try second.existingObject(Team.self, with: team)
      second.player("Instead", in: team)
      try #require(team.players.first { $0.name == "Reds 0" }).team = nil
      try roots[0].performAndWait { first in
        let team = try first.existingObject(Team.self, with: self.team)
        first.player("Fourth", in: team)
        try first.save()
      }
      try second.save()
    }
    try roots[0].performAndWait { context in
      context.processPendingChanges()
      let count = try context.existingObject(Team.self, with: team).players.count
      #expect(count == 4)
    }
  }
}
