// SPDX-License-Identifier: Apache-2.0

/// Finds the anomalies of a history that Strata promises to exclude.
///
/// ## The promise
/// The rules are in Concurrency.md, the D numbers in CoreData.md.
///
/// | | excluded | source |
/// | --- | --- | --- |
/// | reads of changes that are unsaved, refused or taken back elsewhere | yes | rules 5, 7, 14 |
/// | reads of versions that the same unit replaced before its save | yes | rule 5 |
/// | different results of reads in one turn | yes | rule 6 |
/// | a part of a save, or a newer save without an older one, in one turn | yes | rules 5, 6 |
/// | a save that had returned before the turn began is not seen | yes | rules 5, 6, 11 |
/// | lost updates of an object at the store, with the merge policy `.error` | yes | rule 13 |
/// | lost updates of a property at a parent, with the merge policy `.error` | yes | D94 |
/// | lost updates under other policies | no | `MergePolicy`, D72 |
/// | write skew | no | rule 13, D72 |
/// | write skew on objects of `detectConflicts(for:)` | yes | D29 |
/// | older values in objects that the program holds or has edited | no | rule 8 |
///
/// So a save is a transaction under snapshot isolation, with the additional promise that a new
/// snapshot is never older than a save that has returned. The permitted lost updates and the values
/// of held objects are the recorder's to avoid: it marks units of other policies, gives each of
/// their registers in a tree of contexts one writer, and reads no object that it has edited in an
/// earlier turn.
///
/// ## How it is found
/// Versions are unique, and a writer knows the version that it replaces. So the order of the
/// versions of a register is known from the history alone, and with it which save came first. Reads
/// of wrong versions and two saves over one version are seen directly. All else is a question
/// of time: is there an order of beginnings and commits in which each turn reads all that was
/// committed before it began, and nothing else? Each fact says that one moment comes before another
/// (`MomentGraph`). There is such an order exactly if the facts have no cycle. Write skew makes no
/// cycle of these facts, unless the reads are guarded: a guarded read holds until the commit.
///
/// ## Complexity
/// O(operations) and O(units · log units).
///
/// ## Isolation
/// A pure function of a history.
package struct HistoryChecker {
  /// A write as others see it: the last one of its unit in the register.
  private struct Write {
    let unit: Int
    let version: Version
    var former: Version?
    /// Whether the unit has replaced it itself.
    var isReplaced = false
  }

  private struct Place: Hashable {
    let register: Register
    let version: Version
  }

  private let units: [UnitOfWork]
  private var writes: [Place: Write] = [:]
  /// The version beneath each version, as reads have found it.
  private var formers: [Place: (version: Version, unit: Int)] = [:]
  /// The committed writes over each version.
  private var successors: [Place: [Write]] = [:]
  private var anomalies: [Anomaly] = []

  /// All direct anomalies, and one cycle for each set of moments that cannot be put in order.
  package static func anomalies(in history: History) -> [Anomaly] {
    var checker = HistoryChecker(units: history.units)
    checker.collectWrites()
    checker.checkReads()
    checker.orderVersions()
    checker.findLostUpdates()
    checker.findCycles()
    return checker.anomalies
  }

  private init(units: [UnitOfWork]) { self.units = units }

  private mutating func report(_ kind: Anomaly.Kind, _ detail: String, _ found: [Int]) {
    anomalies.append(Anomaly(kind: kind, units: found.map { units[$0].name }, detail: detail))
  }

  // MARK: - Versions

  private mutating func collectWrites() {
    for (unit, work) in units.enumerated() {
      var latest: [Register: Write] = [:]
      for case .write(let register, let version, let former) in work.turns.joined() {
        var write = Write(unit: unit, version: version, former: former)
        if var replaced = latest[register] {
          write.former = replaced.former
          replaced.isReplaced = true
          writes[Place(register: register, version: replaced.version)] = replaced
        }
        latest[register] = write
        writes[Place(register: register, version: version)] = write
      }
    }
  }

  private func isVisible(_ write: Write) -> Bool {
    units[write.unit].outcome == .committed && !write.isReplaced
  }

  /// Gives the writes of batches the version that reads have found beneath theirs.
  private mutating func orderVersions() {
    for (place, write) in writes where isVisible(write) {
      guard let former = write.former ?? formers[place]?.version else { continue }
      writes[place]?.former = former
      if let write = writes[place] {
        successors[Place(register: place.register, version: former), default: []].append(write)
      }
    }
  }

  // MARK: - Reads

  private mutating func checkReads() {
    for unit in units.indices {
      var own: [Register: Version] = [:]
      for operations in units[unit].turns {
        var seen: [Register: Version] = [:]
        for operation in operations {
          switch operation {
          case .write(let register, let version, _): own[register] = version
          case .read(let register, let version, let former, _):
            if let expected = own[register] ?? seen[register], expected != version {
              report(
                .unrepeatableRead, "\(register) was \(expected), then \(version)", [unit])
            }
            seen[register] = version
            check(Place(register: register, version: version), former, in: unit)
          }
        }
      }
    }
  }

  private mutating func check(_ place: Place, _ former: Version?, in unit: Int) {
    guard place.version != 0 else { return }
    if let former {
      let known = formers[place] ?? (former, unit)
      formers[place] = known
      if known.version != former {
        report(
          .tornVersion, "\(place.register) \(place.version) over \(known.version) and \(former)",
          [known.unit, unit])
      }
    }
    let read = "\(place.register) \(place.version)"
    guard let write = writes[place] else { return report(.unwrittenRead, read, [unit]) }
    if write.unit == unit { return }
    if units[write.unit].outcome == .abandoned {
      report(.abortedRead, read, [write.unit, unit])
    } else if write.isReplaced {
      report(.intermediateRead, read, [write.unit, unit])
    }
  }

  // MARK: - Lost updates

  private mutating func findLostUpdates() {
    for (place, all) in successors {
      let checked = all.filter { units[$0.unit].checksVersions }
      if checked.count > 1 {
        report(
          .lostUpdate, "\(place.register) \(place.version) was replaced \(checked.count) times",
          checked.map(\.unit).sorted())
      }
    }
  }

  // MARK: - Cycles

  private mutating func findCycles() {
    var graph = MomentGraph(units)
    for (place, write) in writes where isVisible(write) {
      // Overwritten: its maker came before.
      if let former = write.former,
        let replaced = writes[Place(register: place.register, version: former)],
        isVisible(replaced), replaced.unit != write.unit
      {
        graph.commit(of: replaced.unit, isBeforeCommitOf: write.unit)
      }
    }
    for unit in units.indices {
      var own: Set<Register> = []
      for (turn, operations) in units[unit].turns.enumerated() {
        for operation in operations {
          switch operation {
          case .write(let register, _, _): own.insert(register)
          case .read(let register, let version, _, let isGuarded):
            if own.contains(register) { continue }
            let place = Place(register: register, version: version)
            let level = register.level
            if let write = writes[place], isVisible(write), write.unit != unit {
              graph.commit(of: write.unit, isBefore: turn, of: unit, at: level)
            }
            let isHeld = isGuarded && units[unit].outcome == .committed
            for next in successors[place] ?? [] where next.unit != unit {
              graph.turn(
                turn, of: unit, at: level, isBeforeCommitOf: next.unit, isGuarded: isHeld)
            }
          }
        }
      }
    }
    for cycle in graph.cycles() { report(cycle.kind, cycle.detail, cycle.units) }
  }
}
