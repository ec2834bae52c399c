// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// Checks all that is in one state of a store: each record, each external value, each entry of an
/// index, each link, and whether they agree with each other.
///
/// | part | check |
/// | --- | --- |
/// | records | checksum, layout; the serial is below the next one; the tree's count is right |
/// | external values | the bytes have the stamp of the record; each has a record |
/// | indexes | entries ascend; each is the value of its object; as many as there are objects |
/// | constraints | no two objects have one value |
/// | indexes of words | entries ascend; they are the words and the lengths of the objects' texts |
/// | to-one relationships | the target exists; it leads back, if the inverse is to-one too |
/// | links | both ends exist; the link of the other direction exists |
///
/// Everything is read through the paths that programs use. Reading ends in no part at the first
/// damage, except within a tree whose pages are damaged. LMDB's list of free pages is not checked.
///
/// ## Isolation
/// The isolation of its snapshot. It changes nothing; other processes may save.
package struct StoreCheck {
  /// Something that is not as it should be.
  package struct Finding: Sendable, Hashable {
    /// The object, the property or the tree, without values.
    package let place: String
    package let problem: String
    /// Whether the store may be in order all the same: a link that leads nowhere, which the delete
    /// rule `noAction` leaves behind. A store does not keep delete rules.
    package let mayBeIntended: Bool
  }

  /// How much was checked.
  package struct Counts: Sendable, Hashable {
    package internal(set) var objects = 0
    package internal(set) var externalValues = 0
    package internal(set) var indexEntries = 0
    package internal(set) var links = 0
  }

  let view: StoreView
  let report: (Finding) -> Void
  private let progress: (Int) -> Void
  var counts = Counts()
  /// The number of readable records by the number of the index that has entries for them.
  private var expectedEntries: [PropertyNumber: Int] = [:]
  /// The entries of words that the readable records have, by the number of the index.
  var expectedWords: [PropertyNumber: WordEntries] = [:]
  /// The words of the last text that was read.
  var words = TextWords()
  /// The indexes of an object whose record cannot be read: their entries cannot be counted.
  var uncountable: Set<PropertyNumber> = []
  private var workCount = 0

  /// - Parameters:
  ///   - snapshot: of an `LMDBStore`.
  ///   - progress: called now and then with the number of records and entries that were checked.
  ///   - report: called for each finding.
  package init(
    _ snapshot: any Snapshot, progress: @escaping (Int) -> Void,
    report: @escaping (Finding) -> Void
  ) {
    guard let view = snapshot as? StoreView else {
      stopProgram("only a store of its own kind can be checked")
    }
    self.view = view
    self.progress = progress
    self.report = report
  }

  /// Checks everything.
  package mutating func run() -> Counts {
    for entity in view.schema.entities where !entity.description.isAbstract {
      checkRecords(of: entity)
      checkExternalEntries(of: entity)
    }
    for entity in view.schema.entities { checkIndexes(declaredBy: entity) }
    checkLinks()
    return counts
  }

  mutating func noteWork() {
    workCount += 1
    if workCount.isMultiple(of: 1_024) { progress(workCount) }
  }

  func found(_ place: String, _ problem: String, mayBeIntended: Bool = false) {
    report(Finding(place: place, problem: problem, mayBeIntended: mayBeIntended))
  }

  func found(_ place: String, _ error: any Error) {
    if case StoreError.damaged(_, _, let reason) = error { return found(place, reason) }
    found(place, "\(error)")
  }

  func name(of key: ObjectKey) -> String {
    "\(view.schema.entity(key.entity)?.description.name ?? "\(key.entity.rawValue)")/\(key.serial)"
  }

  // MARK: - Records

  private mutating func checkRecords(of entity: EntitySchema) {
    var keys: [ObjectKey] = []
    do {
      try view.scanKeys(of: entity.number) { key in
        keys.append(key)
        return .more
      }
      let count = try view.count(of: entity.number)
      if count != keys.count {
        found(entity.description.name, "the tree has \(keys.count) records and says \(count)")
      }
    } catch {
      found(entity.description.name, error)
      uncountable.formUnion(entity.indexes.map(\.number))
    }
    let firstFree = try? Catalog.firstFreeSerial(in: view.transaction)
    for key in keys {
      noteWork()
      if let firstFree, key.serial >= firstFree {
        found(name(of: key), "its serial is not below the next one of the store, \(firstFree)")
      }
      do {
        guard let record = try view.record(for: key)?.record else { continue }
        counts.objects += 1
        for index in entity.valueIndexes { expectedEntries[index.number, default: 0] += 1 }
        for index in entity.indexes where index.isOfWords {
          expectWords(of: key, index, record, entity)
        }
        checkTargets(of: key, entity, record)
        checkExternalValues(of: key, entity, record)
      } catch {
        found(name(of: key), error)
        uncountable.formUnion(entity.indexes.map(\.number))
      }
    }
  }

  private func checkTargets(of key: ObjectKey, _ entity: EntitySchema, _ record: Record) {
    for case let relationship? in entity.relationships where !relationship.isToMany {
      guard let target = record.toOne(at: relationship.slot, layout: entity.layout) else {
        continue
      }
      let place = "\(name(of: key)).\(relationship.name)"
      if !view.schema.canLead(relationship, to: target.entity) {
        found(place, "it leads to an object of another entity")
      } else if (try? view.contains(target)) == false {
        found(place, "it leads to \(name(of: target)), which does not exist", mayBeIntended: true)
      } else if let back = relationship.inverse, back.kind == .toOne,
        !leads(from: target, at: back.slot, to: key)
      {
        found(place, "it leads to \(name(of: target)), which does not lead back")
      }
    }
  }

  /// Whether a to-one slot of an object leads to another one. An object that cannot be read is
  /// reported by itself.
  private func leads(from object: ObjectKey, at slot: Int, to key: ObjectKey) -> Bool {
    guard let entity = view.schema.entity(object.entity),
      let record = try? view.record(for: object)?.record
    else { return true }
    return record.toOne(at: slot, layout: entity.layout) == key
  }

  // MARK: - External values

  private mutating func checkExternalValues(
    of key: ObjectKey, _ entity: EntitySchema, _ record: Record
  ) {
    for slot in entity.layout.externalSlots where record.isPresent(slot, entity.layout) {
      counts.externalValues += 1
      do { _ = try view.externalData(of: key, at: slot) } catch {
        found("\(name(of: key)).\(entity.description.properties[slot].name)", error)
      }
    }
  }

  /// Finds external values of no object.
  private func checkExternalEntries(of entity: EntitySchema) {
    guard let tree = view.trees.external(of: entity.number) else { return }
    let treeName = view.trees.name(of: tree)
    do {
      // LMDB's cursor: the values are long, and have pages of their own.
      var cursor = try view.transaction.cursor(in: tree)
      while try cursor.next() {
        if let external = ExternalKey(cursor.key) {
          let key = ObjectKey(entity: entity.number, serial: external.serial)
          if !(try view.contains(key)) { found(treeName, "a value of no object") }
        } else {
          found(treeName, "a key has \(cursor.key.count) bytes")
        }
      }
    } catch {
      found(treeName, error)
    }
  }

  // MARK: - Indexes

  private mutating func checkIndexes(declaredBy entity: EntitySchema) {
    let above = entity.description.superentity.flatMap {
      view.schema.entity(named: $0.name)
    }
    let inherited = Set(above?.indexes.map(\.number) ?? [])
    for index in entity.indexes where !inherited.contains(index.number) {
      let names = index.names(in: entity.description).joined(separator: ", ")
      if index.isOfWords {
        checkWords(index, "index of words of \(entity.description.name).\(names)")
      } else {
        checkIndex(index, "index over \(entity.description.name).\(names)")
      }
    }
  }

  private mutating func checkIndex(_ index: IndexSchema, _ place: String) {
    var last: [UInt8] = []
    var count = 0
    let (view, report) = (view, report)
    var isOrdered = true
    var scan = UniqueValueScan(index.number, in: view)
    do {
      try view.scanIndex(index.number, in: KeyRange(), isReversed: false) { entry, key in
        count += 1
        noteWork()
        if isOrdered, count > 1, !last.lexicographicallyPrecedes(entry) {
          isOrdered = false
          report(
            Finding(place: place, problem: "its entries do not ascend", mayBeIntended: false))
        }
        last.removeAll(keepingCapacity: true)
        last.append(contentsOf: entry)
        if let problem = Self.problem(of: last, key, index.number, in: view) {
          let object = self.name(of: key)
          report(
            Finding(place: place, problem: "\(problem): \(object)", mayBeIntended: false))
        }
        if index.isUnique,
          let holder = try? scan.holder(besides: key, at: Postings.list(ofKey: entry))
        {
          let (object, other) = (self.name(of: key), self.name(of: holder))
          report(
            Finding(
              place: place, problem: "\(object) has the value of \(other)", mayBeIntended: false))
        }
        return .more
      }
      counts.indexEntries += count
      let expected = expectedEntries[index.number] ?? 0
      if !uncountable.contains(index.number), count != expected {
        found(place, "it has \(count) entries for \(expected) objects")
      }
    } catch {
      found(place, error)
    }
  }

  /// The mistake in an entry; nil if its object has the value, or cannot be read.
  private static func problem(
    of entry: [UInt8], _ key: ObjectKey, _ number: PropertyNumber, in view: StoreView
  ) -> String? {
    guard let entity = view.schema.entity(key.entity),
      let index = entity.indexes.first(where: { $0.number == number })
    else { return "an entry of an object of another entity" }
    // An unreadable record is reported by itself.
    guard let record = try? view.record(for: key)?.record else {
      return (try? view.contains(key)) == false ? "an entry of an object that does not exist" : nil
    }
    var expected: [UInt8] = []
    index.append(valueOf: record, entity.layout, to: &expected)
    KeyEncoder.append(objectKey: key, to: &expected)
    return entry == expected ? nil : "an entry with another value than its object"
  }
}
