// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataTestSupport
import Testing

/// Does the same random work in a root with two workers and in a `CountOracle`, and compares the
/// failures of saves.
private struct CountWorld: Model {
  var random: ModelRandom
  private let contexts: [ContextQueue]
  private var oracle = CountOracle()
  private var ids: [String: ObjectID] = [:]
  private var nextNumber = 0

  init(_ random: ModelRandom) throws {
    self.random = random
    let container = try republic()
    contexts = [
      container.root, ContextQueue(parent: container.root), ContextQueue(parent: container.root),
    ]
    try container.root.performAndWait { $0.mergePolicy = .mergeByPropertyObjectTrump }
    try addSponsors(container)
  }

  static var operations: [ModelOperation<CountWorld>] {
    [
      ModelOperation("insert a team", weight: 2) { try $0.insertTeam(in: $0.random.below(3)) },
      ModelOperation("insert a player", weight: 3) { try $0.insertPlayer(in: $0.random.below(3)) },
      ModelOperation("move a player", weight: 5) { try $0.movePlayer(in: $0.random.below(3)) },
      ModelOperation("delete a player") { try $0.deletePlayer(in: $0.random.below(3)) },
      ModelOperation("link or unlink", weight: 3) { try $0.link(in: $0.random.below(3)) },
      ModelOperation("touch a team") { try $0.touchTeam(in: $0.random.below(3)) },
      ModelOperation("roll back") { try $0.rollBack($0.random.below(3)) },
      ModelOperation("save", weight: 4) { try $0.save($0.random.below(3)) },
    ]
  }

  private mutating func newNumber() -> Int {
    nextNumber += 1
    return nextNumber
  }

  private mutating func addSponsors(_ container: PersistentContainer) throws {
    let made = try container.root.performAndWait { context in
      let sponsors = (1...5).map { context.sponsor("\($0)") }
      try context.save()
      return sponsors.map(\.objectID)
    }
    for (index, id) in made.enumerated() { ids["sponsor \(index)"] = id }
  }

  private mutating func pickTeam(in context: Int) -> Int? {
    random.pick(oracle.teams(in: context).sorted())
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
    guard let team = pickTeam(in: context) else { return }
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
    guard let player = random.pick(candidates), let team = pickTeam(in: context) else { return }
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
    guard let player = random.pick(candidates) else { return }
    let id = ids["player \(player)"]!
    try contexts[context].performAndWait { context in
      context.delete(try context.existingObject(Player.self, with: id))
    }
    let isNew = oracle.player(player, in: oracle.parent(of: context)) == .deleted
    oracle.layers[context].players[player] = isNew ? nil : .deleted
  }

  private mutating func link(in context: Int) throws {
    guard let team = pickTeam(in: context) else { return }
    let sponsor = random.below(5)
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
    guard let team = pickTeam(in: context) else { return }
    let id = ids["team \(team)"]!
    try contexts[context].performAndWait { context in
      let team = try context.existingObject(Team.self, with: id)
      team.rank = team.rank % 20 + 1
    }
    oracle.layers[context].teams.insert(team)
  }

  private mutating func rollBack(_ context: Int) throws {
    // Objects that a worker's changes depend on may not be deleted beneath it.
    if context == 0, oracle.layers[1...2].contains(where: { !$0.isEmpty }) { return }
    try contexts[context].performAndWait { $0.rollback() }
    oracle.rollBack(context)
  }

  private mutating func save(_ context: Int) throws {
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
    try expectSame(refused, expected, "what context \(context) refuses")
    random.count(expected.isEmpty ? "saved" : "refused")
    if expected.isEmpty { oracle.save(context) }
  }
}

@Suite struct `Counts compared with a naive count` {
  @Test func `are refused alike in random work through nested contexts`() async {
    let failure = await ModelTest(
      "counts", sequences: 8, steps: 250, meets: ["saved": 8, "refused": 8], make: CountWorld.init
    ).firstFailure()
    #expect(failure == nil)
  }
}
