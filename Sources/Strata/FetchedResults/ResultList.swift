// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives

/// A list of objects in sections: the content of a controller and of a snapshot.
///
/// A list with sections has only sections with objects; a list without always has a single section.
struct ResultList: Sendable {
  private(set) var root: ResultNode?
  let isSectioned: Bool

  init(_ root: ResultNode? = nil, isSectioned: Bool) {
    self.root = root
    self.isSectioned = isSectioned
  }

  var count: Int { root?.count ?? 0 }

  var sectionCount: Int { isSectioned ? root?.runCount ?? 0 : 1 }

  // MARK: - Places

  /// - Precondition: the index is one of the list's.
  func entry(at index: Int) -> ResultEntry {
    guard let root, index >= 0, index < root.count else {
      stopProgram("The fetched list has \(count) objects, and none at index \(index).")
    }
    return root.entry(at: index)
  }

  /// The indexes of a section's objects in the whole list. O(log n).
  ///
  /// - Precondition: there is such a section.
  func range(ofSection section: Int) -> Range<Int> {
    require(
      section >= 0 && section < sectionCount,
      "The fetched list has \(sectionCount) sections, and none at index \(section): compare with "
        + "sectionCount.")
    guard isSectioned, let root else { return 0..<count }
    return root.start(ofRun: section)..<root.start(ofRun: section + 1)
  }

  /// The name of the section of these objects.
  ///
  /// - Precondition: there is such a section.
  func name(ofSection section: Int) -> String? {
    let range = range(ofSection: section)
    guard isSectioned, let root else { return nil }
    return root.entry(at: range.lowerBound).section.name
  }

  /// The section of the object at `index`. O(log n).
  func section(at index: Int) -> Int {
    guard isSectioned, let root else { return 0 }
    return root.runCount(upTo: index + 1) - 1
  }

  func indexPath(at index: Int) -> FetchedIndexPath {
    let section = section(at: index)
    guard isSectioned, let root else { return FetchedIndexPath(item: index, section: 0) }
    return FetchedIndexPath(item: index - root.start(ofRun: section), section: section)
  }

  /// The index in the whole list; nil if there is no object at `path`.
  func index(at path: FetchedIndexPath) -> Int? {
    guard path.section >= 0, path.section < sectionCount, path.item >= 0 else { return nil }
    let range = range(ofSection: path.section)
    return path.item < range.count ? range.lowerBound + path.item : nil
  }

  /// How many entries come before `entry`: the index of the entry itself, if it is in the list.
  func countBefore(_ entry: ResultEntry) -> Int { root?.countBefore(entry) ?? 0 }

  /// The section of an entry of the list. O(log n).
  func section(of entry: ResultEntry) -> Int { section(at: countBefore(entry)) }

  /// The IDs of the objects in `range`, of a list without objects none. O(log n + objects).
  func objectIDs(in range: Range<Int>, of store: StoreIdentity?) -> [ObjectID] {
    guard let store else { return [] }
    var ids: [ObjectID] = []
    ids.reserveCapacity(range.count)
    forEach(in: range) { ids.append(ObjectID(store: store, key: $0.key)) }
    return ids
  }

  func forEach(in range: Range<Int>, _ body: (ResultEntry) -> Void) {
    root?.forEach(in: range, body)
  }

  // MARK: - Changes

  /// The list without some of its entries and with others. O(changes × log n), or O(n + changes ×
  /// log changes) if they are a large part of the list.
  func replacing(_ old: [ResultEntry], with new: [ResultEntry]) -> ResultList {
    var list = self
    let changeCount = old.count + new.count
    if changeCount >= Self.rebuildingCountMin, changeCount * Self.rebuildingShare > count {
      list.rebuild(without: old, with: new)
    } else {
      for entry in old { list.remove(entry) }
      for entry in new { list.insert(entry) }
    }
    return list
  }

  /// If more than one object in this number changes, the list is built again.
  private static let rebuildingShare = 16
  /// So few changes are always made one by one.
  private static let rebuildingCountMin = 64

  private mutating func rebuild(without old: [ResultEntry], with new: [ResultEntry]) {
    let gone = Set(old.map(\.key))
    var entries: [ResultEntry] = []
    entries.reserveCapacity(count + new.count)
    forEach(in: 0..<count) { if !gone.contains($0.key) { entries.append($0) } }
    entries += new
    entries.sort { $0.precedes($1) }
    root = ResultNode.list(of: entries[...])
  }

  private mutating func remove(_ entry: ResultEntry) {
    let index = countBefore(entry)
    let (before, rest) = ResultNode.splitting(root, at: index)
    let (_, after) = ResultNode.splitting(rest, at: 1)
    root = ResultNode.joining(before, after)
  }

  private mutating func insert(_ entry: ResultEntry) {
    let (before, after) = ResultNode.splitting(root, at: countBefore(entry))
    let node = ResultNode(entry, left: nil, right: nil)
    root = ResultNode.joining(ResultNode.joining(before, node), after)
  }
}
