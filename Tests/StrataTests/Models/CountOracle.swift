// SPDX-License-Identifier: Apache-2.0

/// Teams, players and sponsors in a context and all states beneath, as naively as can be: each
/// context keeps the values that it has set, and counts by asking every player and every sponsor.
struct CountOracle {
  struct Link: Hashable {
    let sponsor: Int
    let team: Int
  }

  /// The unsaved changes of one context. A player's team is nil for none; a player that is gone is
  /// `.deleted`.
  struct ContextLayer {
    enum Player: Equatable {
      case of(team: Int?)
      case deleted
    }

    var players: [Int: Player] = [:]
    var links: [Link: Bool] = [:]
    var teams: Set<Int> = []

    var isEmpty: Bool { players.isEmpty && links.isEmpty && teams.isEmpty }
  }

  /// The root's, then the workers'; the last one is the store.
  var layers = [ContextLayer](repeating: ContextLayer(), count: 4)
  static let store = 3

  func parent(of context: Int) -> Int { context == 0 ? Self.store : 0 }

  private func chain(of context: Int) -> [ContextLayer] {
    context == Self.store
      ? [layers[context]] : [layers[context]] + chain(of: parent(of: context))
  }

  func player(_ player: Int, in context: Int) -> ContextLayer.Player {
    chain(of: context).lazy.compactMap { $0.players[player] }.first ?? .deleted
  }

  func isLinked(_ link: Link, in context: Int) -> Bool {
    chain(of: context).lazy.compactMap { $0.links[link] }.first ?? false
  }

  /// A link that came and went is no change.
  mutating func setLink(_ link: Link, _ isLinked: Bool, in context: Int) {
    let isBelow = self.isLinked(link, in: parent(of: context))
    layers[context].links[link] = isLinked == isBelow ? nil : isLinked
  }

  func teams(in context: Int) -> Set<Int> {
    chain(of: context).reduce(into: []) { $0.formUnion($1.teams) }
  }

  func players(in context: Int) -> [Int] {
    Set(chain(of: context).flatMap(\.players.keys)).sorted()
      .filter { player($0, in: context) != .deleted }
  }

  // MARK: - Saving

  /// The failures of a save of the context: "team relationship".
  func refusals(of context: Int) -> Set<String> {
    let (own, below) = (layers[context], parent(of: context))
    var playersOf = own.teams
    for id in own.players.keys {
      let (new, old) = (player(id, in: context), player(id, in: below))
      if new == old { continue }
      for case .of(let team?) in [new, old] { playersOf.insert(team) }
    }
    let sponsorsOf = own.teams.union(own.links.keys.map(\.team))
    let known = teams(in: context)
    let players = playersOf.intersection(known).filter { team in
      let count = self.players(in: context).count { player($0, in: context) == .of(team: team) }
      return !(2...4).contains(count)
    }
    let sponsors = sponsorsOf.intersection(known).filter { team in
      let links = Set(chain(of: context).flatMap(\.links.keys)).filter { $0.team == team }
      return links.count { isLinked($0, in: context) } > 2
    }
    return Set(players.map { "\($0) players" } + sponsors.map { "\($0) sponsors" })
  }

  /// Hands the unsaved changes to the parent, or to the store.
  mutating func save(_ context: Int) {
    let (own, below) = (layers[context], parent(of: context))
    layers[below].players.merge(own.players) { _, newer in newer }
    layers[below].links.merge(own.links) { _, newer in newer }
    layers[below].teams.formUnion(own.teams)
    layers[context] = ContextLayer()
  }

  mutating func rollBack(_ context: Int) { layers[context] = ContextLayer() }
}
