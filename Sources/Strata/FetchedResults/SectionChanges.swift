// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The inserted and deleted sections of a change of a list.
///
/// A section is in both lists if it has objects in both. One exception: if the program computes
/// names, a section whose objects have all changed may have moved past another one. Then it counts
/// as deleted and inserted again.
struct SectionChanges {
  /// How many entries each section has after the changes.
  private(set) var counts: [ObjectIdentifier: Int]
  /// Ascending by their places in the old list.
  private(set) var deleted: [FetchedResultsDifference.Section] = []
  /// Ascending by their places in the new list.
  private(set) var inserted: [FetchedResultsDifference.Section] = []
  /// The objects that are in one section before and after.
  private var same: Set<ObjectKey> = []

  /// One section that the changes touch.
  private struct Touched {
    var removed: ResultEntry?
    var removedCount = 0
    var added: ResultEntry?
    var formerCount = 0
    var count = 0
    var isReplaced = false

    /// An entry of the old list, if the section goes.
    var gone: ResultEntry? { formerCount > 0 && (count == 0 || isReplaced) ? removed : nil }
    /// An entry of the new list, if the section comes.
    var new: ResultEntry? { count > 0 && (formerCount == 0 || isReplaced) ? added : nil }
  }

  /// O(changes × log n).
  init(
    _ changes: [ResultChange], counts: [ObjectIdentifier: Int], former: ResultList,
    present: ResultList
  ) {
    self.counts = counts
    var touched: [ObjectIdentifier: Touched] = [:]
    for change in changes {
      if let old = change.old {
        let section = ObjectIdentifier(old.section)
        touched[section, default: Touched()].removed = old
        touched[section]?.removedCount += 1
        self.counts[section, default: 0] -= 1
      }
      if let new = change.new {
        let section = ObjectIdentifier(new.section)
        touched[section, default: Touched()].added = new
        self.counts[section, default: 0] += 1
      }
    }
    for section in touched.keys {
      touched[section]?.formerCount = counts[section] ?? 0
      touched[section]?.count = self.counts[section] ?? 0
      if self.counts[section] == 0 { self.counts[section] = nil }
    }
    if former.isSectioned {
      findReplaced(&touched, former, present)
      deleted = Self.sections(of: touched.values.compactMap(\.gone), in: former)
      inserted = Self.sections(of: touched.values.compactMap(\.new), in: present)
    }
    for change in changes {
      guard let old = change.old, let new = change.new, old.section === new.section,
        touched[ObjectIdentifier(new.section)]?.isReplaced != true
      else { continue }
      same.insert(change.key)
    }
  }

  /// Whether the object is in the section that it was in.
  func isSame(_ key: ObjectKey) -> Bool { same.contains(key) }

  /// The sections of `entries`, ascending by their places in `list`.
  private static func sections(
    of entries: [ResultEntry], in list: ResultList
  ) -> [FetchedResultsDifference.Section] {
    entries.map { .init(index: list.section(of: $0), name: $0.section.name) }
      .sorted { $0.index < $1.index }
  }

  /// Sections that keep an unchanged object keep their order. Only if one of the others is at
  /// another place among those that stay, all of the others are said to be replaced.
  private func findReplaced(
    _ touched: inout [ObjectIdentifier: Touched], _ former: ResultList, _ present: ResultList
  ) {
    let renewed = touched.filter { $0.value.count > 0 && $0.value.formerCount > 0 }
      .filter { $0.value.removedCount == $0.value.formerCount }
    if renewed.isEmpty { return }
    let gone = touched.values.compactMap(\.gone).map { former.section(of: $0) }.sorted()
    let new = touched.values.compactMap(\.new).map { present.section(of: $0) }.sorted()
    let isInOrder = renewed.values.allSatisfy { section in
      guard let removed = section.removed, let added = section.added else { return false }
      let from = former.section(of: removed)
      let to = present.section(of: added)
      return from - gone.countBelow(from) == to - new.countBelow(to)
    }
    if isInOrder { return }
    for section in renewed.keys { touched[section]?.isReplaced = true }
  }
}
