// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `Asking before a save` {
  @Test func `returns all failures, and changes nothing`() throws {
    try republic().root.performAndWait { context in
      let (bad, good) = (context.team("Reds", playerCount: 1), context.team("Blues"))
      bad.rank = 40
      let failures = try context.validationFailures()
      #expect(
        failures.map(\.summary) == ["Team.rank .range(1...20)", "Team.players .count(2...4)"])
      #expect(failures.allSatisfy { $0.objectID == bad.objectID })
      #expect(good.isInserted && bad.isInserted)
      bad.rank = 1
      context.player("B", in: bad)
      let found2 = try context.validationFailures()
      #expect(found2.isEmpty)
      try context.save()
      let found3 = try context.validationFailures()
      #expect(found3.isEmpty)
    }
  }

  @Test func `returns it for one object, whether it has changed or not`() throws {
    try republic().root.performAndWait { context in
      let team = context.team()
      let found4 = try team.validationFailures()
      #expect(found4.isEmpty)
      try context.save()
      for player in team.players { context.delete(player) }
      let found1 = try team.validationFailures().map(\.summary)
      #expect(found1 == ["Team.players .required"])
      context.delete(team)
      let found5 = try team.validationFailures()
      #expect(found5.isEmpty)
    }
  }

  @Test func `returns it for one property, by name or key path`() throws {
    try republic().root.performAndWait { context in
      let team = context.team("", playerCount: 0)
      team.rank = 0
      let names = try team.validationFailures(ofPropertyNamed: "name").map(\.summary)
      #expect(names == ["Team.name .length(1...12)"])
      let ranks = try team.validationFailures(of: \Team.rank).map(\.summary)
      #expect(ranks == ["Team.rank .range(1...20)"])
      let players = try team.validationFailures(of: \Team.players).map(\.summary)
      #expect(players == ["Team.players .required"])
      let found6 = try team.validationFailures(of: \Team.code)
      #expect(found6.isEmpty)
      let found7 = try team.validationFailures(ofPropertyNamed: "nothing")
      #expect(found7.isEmpty)
      let found8 = try team.validationFailures(of: \Player.name)
      #expect(found8.isEmpty)
    }
  }

  @Test func `describes the next step, without the value`() throws {
    try republic().root.performAndWait { context in
      let team = context.team("a secret that is too long", playerCount: 1)
      team.code = nil
      let failures = try team.validationFailures()
      #expect(
        failures.map(\.message) == [
          "It must be 1 to 12 long, in characters, or bytes if it is data.",
          "It must have a value: set one.", "It must have 2 to 4 members, or none.",
        ])
      #expect(failures[0].value == .string("a secret that is too long"))
      let error = ContextError.validationFailed(failures)
      #expect(!error.description.contains("secret"))
      #expect(error.description.contains("3 failures of validation. Team.name of x-strata://"))
    }
  }
}
