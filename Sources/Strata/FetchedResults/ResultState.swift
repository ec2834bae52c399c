// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// The state of a controller's list: the list itself, and each object's entry in it.
///
/// ## Invariants
/// - I1 `entries` has exactly the entries of `list`.
/// - I2 `counts` has the number of entries of each section, and no empty section. The list has as
///   many runs as it has sections: the objects of a section are neighbours.
///
/// ## Isolation
/// The context's.
struct ResultState {
  private(set) var list: ResultList
  private(set) var entries: [ObjectKey: ResultEntry] = [:]
  private var names: [String?: SectionName] = [:]
  private var counts: [ObjectIdentifier: Int] = [:]
  private let schema: Schema

  init(isSectioned: Bool, schema: Schema) {
    list = ResultList(isSectioned: isSectioned)
    self.schema = schema
  }

  /// The one instance of a section's name.
  mutating func section(named name: String?) -> SectionName {
    if let known = names[name] { return known }
    let section = SectionName(name)
    names[name] = section
    return section
  }

  /// Takes changes over. O(changes × log n).
  ///
  /// - Parameter touched: objects that have changed, whether or not they are placed otherwise.
  /// - Returns: how the list has changed.
  /// - Throws: `ContextError.interleavedSections`, if the objects of a section would not be
  ///   neighbours. The list is as it was then.
  mutating func apply(
    _ changes: [ResultChange], touched: [ObjectKey] = []
  ) throws -> FetchedResultsDifference {
    let former = list
    let replaced = former.replacing(changes.compactMap(\.old), with: changes.compactMap(\.new))
    let sections = SectionChanges(changes, counts: counts, former: former, present: replaced)
    if replaced.isSectioned, replaced.sectionCount != sections.counts.count {
      throw ContextError.interleavedSections(stray(in: replaced))
    }
    list = replaced
    counts = sections.counts
    for change in changes { entries[change.key] = change.new }
    forgetNames(of: changes)
    let moved = Set(changes.map(\.key))
    let unmoved = touched.compactMap { moved.contains($0) ? nil : entries[$0] }
    return difference(of: changes, unmoved, sections, from: former)
  }

  /// Names of sections that have gone are kept only until they are many.
  private mutating func forgetNames(of changes: [ResultChange]) {
    guard names.count > 2 * counts.count + 64 else { return }
    names = names.filter { counts[ObjectIdentifier($0.value)] != nil }
  }

  /// An object of a section that is not contiguous: other sections' objects are in between.
  private func stray(in list: ResultList) -> ObjectID? {
    var seen: Set<ObjectIdentifier> = []
    return (0..<list.sectionCount).lazy
      .map { list.entry(at: list.range(ofSection: $0).lowerBound) }
      .first { !seen.insert(ObjectIdentifier($0.section)).inserted }
      .map { id(of: $0.key) }
  }

  // MARK: - The difference

  /// An object that is in both lists, with its index in each.
  private struct Stay {
    let key: ObjectKey
    let from: Int
    let to: Int
  }

  private func difference(
    of changes: [ResultChange], _ unmoved: [ResultEntry], _ sections: SectionChanges,
    from former: ResultList
  ) -> FetchedResultsDifference {
    var difference = FetchedResultsDifference()
    difference.deletedSections = sections.deleted
    difference.insertedSections = sections.inserted
    var deletions: [(Int, ObjectKey)] = []
    var insertions: [(Int, ObjectKey)] = []
    var stays: [Stay] = []
    for change in changes {
      let from = change.old.map { former.countBefore($0) }
      let to = change.new.map { list.countBefore($0) }
      switch (from, to) {
      case (let from?, nil): deletions.append((from, change.key))
      case (nil, let to?): insertions.append((to, change.key))
      case (let from?, let to?): stays.append(Stay(key: change.key, from: from, to: to))
      case (nil, nil): break
      }
    }
    let gone = (deletions.map(\.0) + stays.map(\.from)).sorted()
    let come = (insertions.map(\.0) + stays.map(\.to)).sorted()
    let isUncounted = PlantedFault.movesUncounted.isPlanted(in: schema)
    let staying = Self.staying(stays, isUncounted ? [] : gone, isUncounted ? [] : come, sections)
    let moves = stays.indices.filter { !staying.contains($0) }.map { stays[$0] }
    let updates =
      staying.map { stays[$0] }
      + unmoved.map { Stay(key: $0.key, from: former.countBefore($0), to: list.countBefore($0)) }
    difference.deletions = deletions.sorted { $0.0 < $1.0 }
      .map { .init(objectID: id(of: $1), indexPath: former.indexPath(at: $0)) }
    difference.insertions = insertions.sorted { $0.0 < $1.0 }
      .map { .init(objectID: id(of: $1), indexPath: list.indexPath(at: $0)) }
    difference.moves = steps(moves, from: former)
    difference.updates = steps(updates, from: former)
    return difference
  }

  /// The moved objects that are between the same others as before: those with the same number of
  /// unchanged objects before them, as far as they are in one order among each other.
  private static func staying(
    _ stays: [Stay], _ gone: [Int], _ come: [Int], _ sections: SectionChanges
  ) -> Set<Int> {
    let candidates = stays.indices.filter { index in
      let stay = stays[index]
      return sections.isSame(stay.key)
        && stay.from - gone.countBelow(stay.from) == stay.to - come.countBelow(stay.to)
    }.sorted { stays[$0].from < stays[$1].from }
    return Set(LongestAscent.indexes(of: candidates.map { stays[$0].to }).map { candidates[$0] })
  }

  private func steps(
    _ stays: [Stay], from former: ResultList
  ) -> [FetchedResultsDifference.Step] {
    stays.sorted { $0.to < $1.to }.map {
      .init(
        objectID: id(of: $0.key), from: former.indexPath(at: $0.from),
        to: list.indexPath(at: $0.to))
    }
  }

  private func id(of key: ObjectKey) -> ObjectID { ObjectID(store: schema.store, key: key) }
}

extension [Int] {
  /// How many elements of an ascending array are less than `bound`. O(log n).
  func countBelow(_ bound: Int) -> Int { partitioningIndex { $0 >= bound } }
}
