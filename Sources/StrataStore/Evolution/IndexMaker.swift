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
/// some 40 bytes for each object and index.
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
      try view.scanRecords(of: entity.number) { key, _, record in
        guard let start = record.baseAddress else { return .more }
        for place in ofEntity.indices { ofEntity[place].append(key, start) }
        return .more
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

  /// The number of violations that an error has at most.
  private static let violationCountMax = 100

  /// Adds the objects whose value the object before them has, too.
  private func findViolations(
    of number: PropertyNumber, _ run: IndexRun, _ violations: inout [StoreError.UniquenessViolation]
  ) throws {
    for place in run.entries.indices.dropFirst() where violations.count < Self.violationCountMax {
      let isSame = run.withBytes(at: place - 1) { former in
        run.withBytes(at: place) {
          Postings.list(ofKey: former).isEqual(to: Postings.list(ofKey: $0))
        }
      }
      let (key, other) = (run.entries[place].object, run.entries[place - 1].object)
      guard isSame, let entity = view.schema.entity(key.entity),
        let otherEntity = view.schema.entity(other.entity),
        let index = entity.indexes.first(where: { $0.number == number }),
        let record = try view.record(for: key)?.record,
        let otherRecord = try view.record(for: other)?.record,
        index.hasEqualValue(record, entity, otherRecord, otherEntity)
      else { continue }
      violations.append(
        StoreError.UniquenessViolation(key, index, heldBy: other, entity))
    }
  }
}
