// SPDX-License-Identifier: Apache-2.0

/// The stored names that the names of a model continue: of all entities, or of one entity's
/// properties.
///
/// | the store has | the past of the former name | a name continues |
/// | --- | --- | --- |
/// | the name | | itself |
/// | the former name | | the former name |
/// | both | awaited | the former name |
/// | both | carried out | itself |
/// | both | unknown | neither: the model is refused |
///
/// A stored name that another name continues is left to it: a name that would continue itself is
/// new then. If two names insist on one stored name, the model is refused: a name insists that has
/// moved there, or that would continue its former name.
struct NameMatching {
  typealias Name = (name: String, originalName: String?)

  /// The stored names, by those that continue them.
  private(set) var formerNames: [String: String] = [:]
  /// Names of which two insist on one stored name, each with that.
  private(set) var ambiguous: [(name: String, former: String)] = []
  /// Names whose past is not known, each with its former name.
  private(set) var unknown: [(name: String, former: String)] = []

  init(
    _ names: [Name], isStored: (String) -> Bool,
    past: (_ name: String, _ former: String) -> FormerNames.Past
  ) {
    var moving: [(name: String, former: String)] = []
    var insisting: Set<String> = []
    for (name, former) in names {
      guard let former else { continue }
      if !isStored(name) {
        if isStored(former) { moving.append((name, former)) }
        continue
      }
      if former == name {
        insisting.insert(name)
        continue
      }
      switch past(name, former) {
      case .carriedOut: insisting.insert(name)
      case .awaited where isStored(former): moving.append((name, former))
      case .unknown where isStored(former):
        unknown.append((name, former))
        insisting.insert(name)
      case .awaited, .unknown: break
      }
    }
    let left = Set(moving.map(\.former)).subtracting(insisting)
    let moved = Set(moving.map(\.name))
    var taken: Set<String> = []
    for (name, _) in names where isStored(name) && !moved.contains(name) && !left.contains(name) {
      formerNames[name] = name
      taken.insert(name)
    }
    for (name, former) in moving {
      if !taken.insert(former).inserted { ambiguous.append((name, former)) }
      formerNames[name] = former
    }
  }
}
