// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

// Rules of all kinds, for the tests of validation.

@Entity final class Team: ManagedObject {
  @Attribute(.length(1...12)) var name: String
  @Attribute(.required, .matches("[A-Z]{2,3}")) var code: String?
  @Attribute(.range(1...20)) var rank: Int = 1
  @Relationship(.required, .count(2...4), inverse: \Player.team) var players: ToMany<Player>
  @Relationship(.count(...2), deleteRule: .noAction, inverse: \Sponsor.teams)
  var sponsors: ToMany<Sponsor>
}

@Entity final class Player: ManagedObject {
  var name: String
  var team: Team?
  @Relationship(inverse: \Pass.owner) var passes: ToMany<Pass>
}

@Entity final class Sponsor: ManagedObject {
  var name: String
  @Relationship(deleteRule: .noAction) var teams: ToMany<Team>
}

/// Belongs to a player, always.
@Entity final class Pass: ManagedObject {
  var number: Int = 0
  @Relationship(.required) var owner: Player?
}

/// Has players without an inverse.
@Entity final class Pool: ManagedObject {
  @Relationship(.count(2...)) var players: ToMany<Player>
}

extension ManagedObjectContext {
  /// Inserts a team that breaks no rule.
  @discardableResult
  func team(_ name: String = "Reds", playerCount: Int = 2) -> Team {
    let team = Team(context: self)
    team.name = name
    team.code = "RE"
    for index in 0..<playerCount { player("\(name) \(index)", in: team) }
    return team
  }

  @discardableResult
  func player(_ name: String, in team: Team? = nil) -> Player {
    let player = Player(context: self)
    player.name = name
    player.team = team
    return player
  }

  @discardableResult
  func sponsor(_ name: String) -> Sponsor {
    let sponsor = Sponsor(context: self)
    sponsor.name = name
    return sponsor
  }

  /// The failures of a save, as "entity.property rule", sorted by object and property; empty if it
  /// saves.
  func refusals() throws -> [String] {
    do { try save() } catch ContextError.validationFailed(let failures) {
      return failures.map(\.summary)
    }
    return []
  }
}

extension ManagedObjectContext {
  /// Expects the failures of a save.
  func expectRefusals(_ expected: [String], at location: SourceLocation = #_sourceLocation) throws {
    let refusals = try refusals()
    #expect(refusals == expected, sourceLocation: location)
  }
}

extension ContextError {
  /// The validation failures; nil for other errors.
  var failures: [ValidationFailure]? {
    if case .validationFailed(let failures) = self { failures } else { nil }
  }
}

extension ValidationFailure {
  /// The failures in few words.
  var summary: String {
    let what =
      switch rule {
      case .attribute(let rule): "\(rule)"
      case .required: ".required"
      case .count(let min, let max): ".count(\(min)...\(max.map(String.init) ?? ""))"
      case .byteCount(let max): ".byteCount(max: \(max))"
      case .encodable: ".encodable"
      case .hook(let hook): hook.rawValue
      case .unchanged(let hook): "unchanged by \(hook.rawValue)"
      }
    return "\(entity)\(property.map { "." + $0 } ?? "") \(what)"
  }
}
