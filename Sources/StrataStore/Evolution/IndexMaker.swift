// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// Makes whole indexes from the records of a store, and finds objects with equal values in those of
/// constraints.
///
/// Each record is read once for all indexes. Their entries are in memory until they are written:
/// some 40 bytes for each object and index. Entries of words, which are many for each object, are
/// written before that, 250,000 at a time.
///
/// ## Isolation
/// The writer thread.
struct IndexMaker {
  private let view: StoreView
  private let made: Set<PropertyNumber>
  /// The indexes whose values have to be different.
  private let checked: Set<PropertyNumber>

  /// - Parameters:
  ///   - view: of the present schema. The indexes that are made have no entries in it.
  ///   - checked: indexes that are made, or are there.
  init(_ view: StoreView, making made: Set<PropertyNumber>, checking checked: Set<PropertyNumber>) {
    (self.view, self.made, self.checked) = (view, made, checked)
  }

  /// - Throws: `uniquenessViolations`, `damaged`, `LMDBError`.
  func run(in transaction: WriteTransaction) throws {
    // An index that is there is made again for its check alone: reading it would not be simpler.
    let numbers = made.union(checked)
    if numbers.isEmpty { return }
    var builders: [PropertyNumber: IndexRunBuilder] = [:]
    for entity in view.schema.entities where !entity.description.isAbstract {
      let indexes = entity.indexes.filter { numbers.contains($0.number) }
      if indexes.isEmpty { continue }
      let count = try view.count(of: entity.number)
      var ofEntity = indexes.map { index in
        var builder =
          builders[index.number] ?? IndexRunBuilder(index, entity.layout, expecting: count)
        builders[index.number] = nil
        builder.goOn(to: index, entity.layout)
        return builder
      }
      if indexes.contains(where: \.isOfWords) {
        try append(recordsOf: entity, indexes, to: &ofEntity, in: transaction)
      } else {
        try view.scanRecords(of: entity.number) { key, _, record in
          guard let start = record.baseAddress else { return .more }
          for place in ofEntity.indices { ofEntity[place].append(key, start) }
          return .more
        }
      }
      for builder in ofEntity { builders[builder.number] = builder }
    }
    var changes: [Tree: [IndexChanges]] = [:]
    var violations: [StoreError.UniquenessViolation] = []
    for number in numbers.sorted() {
      guard let run = builders[number]?.finished(), let tree = view.trees.entries(of: number)
      else { continue }
      if checked.contains(number) { try findViolations(of: number, run, &violations) }
      if made.contains(number) {
        changes[tree, default: []].append(IndexChanges(number, added: run))
      }
    }
    if !violations.isEmpty { throw StoreError.uniquenessViolations(violations) }
    for (tree, changes) in changes {
      let writer = TreeWriter(tree, named: view.trees.name(of: tree), in: transaction)
      _ = try writer.apply(changes)
    }
  }

  /// The number of entries of words above which they are written.
  private static let wordCountMax = 250_000

  /// Adds the entries of an entity's records. Entries of words are written whenever there are many.
  /// Nothing is written while records are read: LMDB may move them then.
  private func append(
    recordsOf entity: EntitySchema, _ indexes: [IndexSchema],
    to builders: inout [IndexRunBuilder], in transaction: WriteTransaction
  ) throws {
    try view.forEachKeys(of: entity.number) { keys in
      try view.visitRecords(of: keys) { key, _, record in
        guard let start = record?.baseAddress else { return }
        for place in builders.indices { builders[place].append(key, start) }
      }
      for (place, index) in indexes.enumerated()
      where index.isOfWords && builders[place].entryCount > Self.wordCountMax {
        guard let tree = view.trees.entries(of: index.number) else { continue }
        let writer = TreeWriter(tree, named: view.trees.name(of: tree), in: transaction)
        _ = try writer.apply([IndexChanges(index.number, added: builders[place].finished())])
        builders[place] = IndexRunBuilder(index, entity.layout, expecting: 0)
      }
    }
  }

  /// Adds the objects whose value an object before them has, too.
  private func findViolations(
    of number: PropertyNumber, _ run: IndexRun, _ violations: inout [StoreError.UniquenessViolation]
  ) throws {
    var scan = UniqueValueScan(number, in: view)
    let countMax = StoreError.UniquenessViolation.countMax
    for place in run.entries.indices where violations.count < countMax {
      let key = run.entries[place].object
      let holder = try run.withBytes(at: place) {
        try scan.holder(besides: key, at: Postings.list(ofKey: $0))
      }
      guard let holder, let entity = view.schema.entity(key.entity),
        let index = entity.indexes.first(where: { $0.number == number })
      else { continue }
      violations.append(
        StoreError.UniquenessViolation(key, index, heldBy: holder, entity))
    }
  }
}
