// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataTestSupport
import Testing

/// Does the same random work in a root with two workers and in a `CountOracle`, and compares what
/// saves refuse.
private struct CountWorld {
  let container: PersistentContainer
  let contexts: [ContextQueue]
  var oracle = CountOracle()
  var random: SeededGenerator
  var ids: [String: ObjectID] = [:]
  var nextNumber = 0
  var sponsorCount = 0
  var refusedCount = 0
  var savedCount = 0

  init(seed: UInt64) throws {
    container = try league()
    random = SeededGenerator(seed: seed)
    contexts = [
      container.root, container.newBackgroundContext(), container.newBackgroundContext(),
    ]
    try container.root.performAndWait { $0.mergePolicy = .mergeByPropertyObjectTrump }
  }

  mutating func run(operationCount: Int) throws {
    try addSponsors()
    for step in 0..<operationCount {
      let context = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0, 1: try insertTeam(in: context)
      case 2..<5: try insertPlayer(in: context)
      case 5..<10: try movePlayer(in: context)
      case 10: try deletePlayer(in: context)
      case 11..<14: try link(in: context)
      case 14: try touchTeam(in: context)
      case 15:
        // What a worker has built on may not go away under it.
        if context == 0, oracle.layers[1...2].contains(where: { !$0.isEmpty }) { continue }
        try contexts[context].performAndWait { $0.rollback() }
        oracle.rollBack(context)
      default: try save(context, step: step)
      }
    }
  }

  private mutating func newNumber() -> Int {
    nextNumber += 1
    return nextNumber
  }

  private mutating func addSponsors() throws {
    let made = try container.root.performAndWait { context in
      let sponsors = (1...5).map { context.sponsor("\($0)") }
      try context.save()
      return sponsors.map(\.objectID)
    }
    for (index, id) in made.enumerated() { ids["sponsor \(index)"] = id }
  }

  private mutating func insertTeam(in context: Int) throws {
    let (team, players) = (newNumber(), [newNumber(), newNumber()])
    let made = try contexts[context].performAndWait { context in
      let team = context.team("T", playerCount: 2)
      return (team.objectID, team.players.objectIDs)
    }
    ids["team \(team)"] = made.0
    oracle.layers[context].teams.insert(team)
    for (player, id) in zip(players, made.1) {
      ids["player \(player)"] = id
      oracle.layers[context].players[player] = .of(team: team)
    }
  }

  private mutating func insertPlayer(in context: Int) throws {
    guard let team = oracle.teams(in: context).sorted().randomElement(using: &random) else {
      return
    }
    let (player, teamID) = (newNumber(), ids["team \(team)"]!)
    ids["player \(player)"] = try contexts[context].performAndWait { context in
      context.player("P", in: try context.existingObject(Team.self, with: teamID)).objectID
    }
    oracle.layers[context].players[player] = .of(team: team)
  }

  /// Which players may be changed: none that the other worker is about to delete.
  private func free(in context: Int, of others: [Int]) -> [Int] {
    oracle.players(in: context).filter { player in
      others.allSatisfy { oracle.layers[$0].players[player] != .deleted }
    }
  }

  private mutating func movePlayer(in context: Int) throws {
    let candidates = free(in: context, of: [0, 1, 2].filter { $0 != context && $0 != 0 })
    guard let player = candidates.randomElement(using: &random),
      let team = oracle.teams(in: context).sorted().randomElement(using: &random)
    else { return }
    let (target, id) = (Bool.random(using: &random) ? team : nil, ids["player \(player)"]!)
    let targetID = target.flatMap { ids["team \($0)"] }
    if oracle.player(player, in: context) == .of(team: target) { return }
    try contexts[context].performAndWait { context in
      let target = try targetID.map { try context.existingObject(Team.self, with: $0) }
      try context.existingObject(Player.self, with: id).team = target
    }
    oracle.layers[context].players[player] = .of(team: target)
  }

  /// Deletes a player that no other context is at work on.
  private mutating func deletePlayer(in context: Int) throws {
    let others = [1, 2].filter { $0 != context }
    let candidates = oracle.players(in: context).filter { player in
      others.allSatisfy { oracle.layers[$0].players[player] == nil }
    }
    guard let player = candidates.randomElement(using: &random) else { return }
    let id = ids["player \(player)"]!
    try contexts[context].performAndWait { context in
      context.delete(try context.existingObject(Player.self, with: id))
    }
    let isNew = oracle.player(player, in: oracle.parent(of: context)) == .deleted
    oracle.layers[context].players[player] = isNew ? nil : .deleted
  }

  private mutating func link(in context: Int) throws {
    guard let team = oracle.teams(in: context).sorted().randomElement(using: &random) else {
      return
    }
    let sponsor = Int.random(in: 0..<5, using: &random)
    let (teamID, sponsorID) = (ids["team \(team)"]!, ids["sponsor \(sponsor)"]!)
    let link = CountOracle.Link(sponsor: sponsor, team: team)
    let isAdded = !oracle.isLinked(link, in: context)
    let isFromTeam = Bool.random(using: &random)
    try contexts[context].performAndWait { context in
      let team = try context.existingObject(Team.self, with: teamID)
      let sponsor = try context.existingObject(Sponsor.self, with: sponsorID)
      switch (isAdded, isFromTeam) {
      case (true, true): team.sponsors.insert(sponsor)
      case (true, false): sponsor.teams.insert(team)
      case (false, true): team.sponsors.remove(sponsor)
      case (false, false): sponsor.teams.remove(team)
      }
    }
    oracle.setLink(link, isAdded, in: context)
  }

  /// Changes a team's own record.
  private mutating func touchTeam(in context: Int) throws {
    guard let team = oracle.teams(in: context).sorted().randomElement(using: &random) else {
      return
    }
    let id = ids["team \(team)"]!
    try contexts[context].performAndWait { context in
      let team = try context.existingObject(Team.self, with: id)
      team.rank = team.rank % 20 + 1
    }
    oracle.layers[context].teams.insert(team)
  }

  private mutating func save(_ context: Int, step: Int) throws {
    let expected = oracle.refusals(of: context)
    let names = Dictionary(
      uniqueKeysWithValues: ids.filter { $0.key.hasPrefix("team") }.map {
        ($0.value, String($0.key.dropFirst(5)))
      })
    let refused = try contexts[context].performAndWait { context -> Set<String> in
      do { try context.save() } catch ContextError.validationFailed(let failures) {
        return Set(failures.map { "\(names[$0.objectID] ?? "?") \($0.property ?? "?")" })
      }
      return []
    }
    #expect(refused == expected, "step \(step), context \(context)")
    if expected.isEmpty {
      oracle.save(context)
      savedCount += 1
    } else {
      refusedCount += 1
    }
    guard refused == expected else { throw Difference() }
  }

  struct Difference: Error {}
}

@Suite struct `Counts compared with a naive count` {
  @Test func `are refused alike in random work through nested contexts`() throws {
    let first = SeededGenerator.firstSeed()
    for seed in first..<first + 8 {
      var world = try CountWorld(seed: seed)
      do { try world.run(operationCount: 250) } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
      #expect(world.savedCount > 0 && world.refusedCount > 0, "seed \(seed)")
    }
  }
}
