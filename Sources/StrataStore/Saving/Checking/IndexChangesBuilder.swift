// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

/// Gathers the added and removed entries of one index. It allocates nothing before the first entry:
/// most changes are of properties without an index.
struct IndexChangesBuilder {
  private(set) var index: IndexSchema
  private var layout: RecordLayout
  /// About how many objects there are.
  private let count: Int
  private var removed: IndexRunBuilder?
  private var added: IndexRunBuilder?

  /// - Parameter section: the section whose objects come first.
  init(_ index: IndexSchema, of section: SavePlan.Section) {
    self.index = index
    layout = section.entity.layout
    count = section.items.count
  }

  /// Goes on to the objects of another entity that has the index.
  mutating func goOn(to index: IndexSchema, _ layout: RecordLayout) {
    (self.index, self.layout) = (index, layout)
    removed?.goOn(to: index, layout)
    added?.goOn(to: index, layout)
  }

  /// Takes away the entry that the object at `place` has and adds the one that it will have, if
  /// they differ. (The whole item is not handed over: to copy it counts references.)
  mutating func append(_ items: [SavePlan.Item], at place: Int) {
    guard index.covers(anyOf: items[place].differing) else { return }
    let key = items[place].key
    if let old = items[place].old {
      if removed == nil { removed = IndexRunBuilder(index, layout, expecting: count) }
      removed?.append(key, old.start)
      withExtendedLifetime(old) {}
    }
    if let new = items[place].new {
      if added == nil { added = IndexRunBuilder(index, layout, expecting: count) }
      added?.append(key, new.start)
      withExtendedLifetime(new) {}
    }
  }

  func finished() -> IndexChanges {
    let (removed, added) = (
      removed?.finished() ?? IndexRun(), added?.finished() ?? IndexRun()
    )
    // A text that changes keeps most of its words: their blocks are not written.
    if index.isOfWords, !removed.isEmpty, !added.isEmpty {
      return IndexChanges(
        index.number, removed: removed.subtracting(added), added: added.subtracting(removed))
    }
    return IndexChanges(index.number, removed: removed, added: added)
  }
}
