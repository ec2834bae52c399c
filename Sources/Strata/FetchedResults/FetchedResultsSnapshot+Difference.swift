// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives

extension FetchedResultsSnapshot {
  /// The difference between `old` and this list. Of objects in both, it has those that have moved;
  /// snapshots have no values, so it cannot have those that have changed. Sections are the same if
  /// their names are.
  ///
  /// - Complexity: O(n log n).
  public func difference(from old: FetchedResultsSnapshot) -> FetchedResultsDifference {
    let oldSections = old.sections
    let newSections = sections
    var difference = FetchedResultsDifference()
    let kept = Self.keptSections(oldSections.map(\.name), newSections.map(\.name))
    let keptOld = Set(kept.values)
    for (index, section) in oldSections.enumerated() where !keptOld.contains(index) {
      difference.deletedSections.append(.init(index: index, name: section.name))
    }
    for (index, section) in newSections.enumerated() where kept[index] == nil {
      difference.insertedSections.append(.init(index: index, name: section.name))
    }

    var places: [ObjectID: FetchedIndexPath] = [:]
    for (section, contents) in oldSections.enumerated() {
      for (item, id) in contents.objectIDs.enumerated() {
        places[id] = FetchedIndexPath(item: item, section: section)
      }
    }
    var remaining = places
    for (section, contents) in newSections.enumerated() {
      let stays = Self.staying(contents.objectIDs, inFormer: kept[section], places)
      for (item, id) in contents.objectIDs.enumerated() {
        let path = FetchedIndexPath(item: item, section: section)
        guard let former = remaining.removeValue(forKey: id) else {
          difference.insertions.append(.init(objectID: id, indexPath: path))
          continue
        }
        if !stays.contains(id) {
          difference.moves.append(.init(objectID: id, from: former, to: path))
        }
      }
    }
    difference.deletions = remaining.map { .init(objectID: $0, indexPath: $1) }
      .sorted { $0.indexPath < $1.indexPath }
    return difference
  }

  /// The sections that are in both lists, in one order: the old index of each by its new one.
  private static func keptSections(_ old: [String?], _ new: [String?]) -> [Int: Int] {
    let former = Dictionary(
      old.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let common = new.indices.compactMap { index in former[new[index]].map { (index, $0) } }
    let kept = LongestAscent.indexes(of: common.map(\.1)).map { common[$0] }
    return Dictionary(uniqueKeysWithValues: kept)
  }

  /// The objects of a section that were in it before, and have not moved there.
  private static func staying(
    _ ids: [ObjectID], inFormer section: Int?, _ places: [ObjectID: FetchedIndexPath]
  ) -> Set<ObjectID> {
    guard let section else { return [] }
    let common = ids.compactMap { id in
      places[id].flatMap { $0.section == section ? (id, $0.item) : nil }
    }
    return Set(LongestAscent.indexes(of: common.map(\.1)).map { common[$0].0 })
  }

  // MARK: - Applying

  /// This list after `difference`; nil if that is not a difference from this list.
  ///
  /// - Complexity: O(n).
  public func applying(_ difference: FetchedResultsDifference) -> FetchedResultsSnapshot? {
    var sections = self.sections.map { (name: $0.name, ids: $0.objectIDs.map(Optional.some)) }
    // Objects that leave make gaps first, so that the index paths of the old list hold until all
    // have left.
    let leaving =
      difference.deletions.map { ($0.objectID, $0.indexPath) }
      + difference.moves.map { ($0.objectID, $0.from) }
    for (id, path) in leaving {
      guard sections.indices.contains(path.section),
        sections[path.section].ids.indices.contains(path.item),
        sections[path.section].ids[path.item] == id
      else { return nil }
      sections[path.section].ids[path.item] = nil
    }
    var lists = sections.map { (name: $0.name, ids: $0.ids.compactMap(\.self)) }
    for section in difference.deletedSections.reversed() {
      guard lists.indices.contains(section.index), lists[section.index].ids.isEmpty,
        lists[section.index].name == section.name
      else { return nil }
      lists.remove(at: section.index)
    }
    for section in difference.insertedSections {
      guard section.index >= 0, section.index <= lists.count else { return nil }
      lists.insert((section.name, []), at: section.index)
    }
    let coming =
      difference.insertions.map { ($0.objectID, $0.indexPath) }
      + difference.moves.map { ($0.objectID, $0.to) }
    guard Self.insert(coming, into: &lists) else { return nil }
    return FetchedResultsSnapshot(
      sections: lists.map { Section(name: $0.name, objectIDs: $0.ids) })
  }

  /// - Returns: whether all have found their places.
  private static func insert(
    _ coming: [(ObjectID, FetchedIndexPath)], into lists: inout [(name: String?, ids: [ObjectID])]
  ) -> Bool {
    let bySection = Dictionary(grouping: coming, by: \.1.section)
    for (section, objects) in bySection {
      guard lists.indices.contains(section) else { return false }
      var merged: [ObjectID] = []
      var staying = lists[section].ids.makeIterator()
      for (id, path) in objects.sorted(by: { $0.1.item < $1.1.item }) {
        while merged.count < path.item {
          guard let next = staying.next() else { return false }
          merged.append(next)
        }
        guard merged.count == path.item else { return false }
        merged.append(id)
      }
      while let next = staying.next() { merged.append(next) }
      lists[section].ids = merged
    }
    return true
  }
}
