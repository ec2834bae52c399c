// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives

/// The changes of a segment by object, in the order of their keys.
///
/// Serials are counters: objects that were inserted or changed together have keys close together.
/// So a key is found at or near the position where it would be if the keys were spread evenly,
/// without hashing. Two tables are merged in one pass, and everything that is written or walked in
/// the order of keys is in that order here.
///
/// ```
///  keys    [ 1·4  1·5  1·6 │ 2·900  2·901  2·907 … ]     entity·serial, ascending
///  values  [  ●    ●    ●  │   ●      ●      ●   … ]
///  spans   [   entity 1    │        entity 2       ]
/// ```
///
/// ## Invariants
/// - I1 Keys ascend without repetition; `values` has the change of each.
/// - I2 `spans` has each entity of the keys once, ascending; together they cover all.
package struct ChangeTable: Sendable {
  /// The objects of one entity.
  package struct Span: Sendable {
    package let entity: EntityNumber
    /// Where they are.
    package let range: Range<Int>
    let first: UInt64
    let last: UInt64
    /// How far apart two neighbours' places are for one serial, if all are spread evenly.
    let placesPerSerial: Double
  }

  /// Ascending.
  package let keys: [ObjectKey]
  /// The change of each key.
  package let values: [Change]
  /// By entity, ascending.
  package let spans: [Span]
  /// Whether any change is a delete.
  package let hasDeletes: Bool
  /// Whether any change is a delete without a base: of an object that came and went.
  package let hasVanished: Bool
  /// Whether all changes are inserts.
  package let isInsertsOnly: Bool

  package init() { self.init(ascending: [], []) }

  /// - Precondition: `keys` ascend, none twice, and there is a value for each.
  package init(ascending keys: [ObjectKey], _ values: [Change]) {
    var kinds = KindCounts()
    kinds.add(values, values.indices)
    self.init(ascending: keys, values, kinds)
  }

  /// - Parameter kinds: counts the changes of `values`.
  init(ascending keys: [ObjectKey], _ values: [Change], _ kinds: KindCounts) {
    require(keys.count == values.count, "each object has one change")
    self.keys = keys
    self.values = values
    spans = Self.spans(of: keys)
    hasDeletes = kinds.deletes > 0
    hasVanished = kinds.vanished > 0
    isInsertsOnly = kinds.inserts == values.count
    checkInvariants()
  }

  /// How many changes of a kind a table has.
  struct KindCounts {
    fileprivate var deletes = 0
    /// Deletes without a base.
    fileprivate var vanished = 0
    fileprivate var inserts = 0

    /// Counts the changes at `range` of a table.
    mutating func add(_ table: ChangeTable, _ range: Range<Int>) {
      if table.isInsertsOnly { inserts += range.count } else { add(table.values, range) }
    }

    fileprivate mutating func add(_ values: [Change], _ range: Range<Int>) {
      // By index: a copy of each change would count references.
      for place in range {
        switch values[place].kind {
        case .insert: inserts += 1
        case .delete:
          deletes += 1
          if values[place].base == nil { vanished += 1 }
        case .update: break
        }
      }
    }
  }

  /// O(n log n).
  package init(_ changes: [ObjectKey: Change]) {
    var builder = Builder(expecting: changes.count)
    for (key, change) in changes { builder.append(key, change) }
    self = builder.finished()
  }

  private static func spans(of keys: [ObjectKey]) -> [Span] {
    var spans: [Span] = []
    var start = 0
    while start < keys.count {
      let entity = keys[start].entity
      let end =
        keys[keys.count - 1].entity == entity
        ? keys.count : keys[start...].partitioningIndex { $0.entity != entity }
      let (first, last) = (keys[start].rawValue, keys[end - 1].rawValue)
      let width = Double(last - first)
      spans.append(
        Span(
          entity: entity, range: start..<end, first: first, last: last,
          placesPerSerial: width == 0 ? 0 : Double(end - start - 1) / width))
      start = end
    }
    return spans
  }
}

// MARK: - Looking up

extension ChangeTable {
  /// The change of an object, or nil. O(entities) and, for keys that are spread
  /// evenly, O(1); else O(log n).
  package subscript(key: ObjectKey) -> Change? { index(of: key).map { values[$0] } }

  /// The place of an object; nil if there is no change of it. Complexity as in the subscript.
  package func index(of key: ObjectKey) -> Int? {
    let raw = key.rawValue
    for span in spans where raw <= span.last {
      return raw < span.first ? nil : search(raw, in: span)
    }
    return nil
  }

  private func search(_ raw: UInt64, in span: Span) -> Int? {
    keys.withUnsafeBufferPointer { keys in
      let (lower, upper) = (span.range.lowerBound, span.range.upperBound)
      let guess = Swift.min(
        lower + Int(Double(raw - span.first) * span.placesPerSerial), upper - 1)
      if keys[guess].rawValue == raw { return guess }
      // The search goes on from there in growing steps, until the key is between two places.
      var (low, high) = (lower, upper)
      var step = 1
      if keys[guess].rawValue < raw {
        low = guess + 1
        while low + step < upper, keys[low + step].rawValue <= raw {
          low += step
          step *= 2
        }
        high = Swift.min(low + step, upper)
      } else {
        high = guess
        while high - step >= lower, keys[high - step].rawValue > raw {
          high -= step
          step *= 2
        }
        low = Swift.max(high - step, lower)
      }
      while low < high {
        let middle = (low + high) / 2
        if keys[middle].rawValue < raw { low = middle + 1 } else { high = middle }
      }
      return low < upper && keys[low].rawValue == raw ? low : nil
    }
  }

  /// Whether no key of `other` is between keys of the same entity here: then the two have none in
  /// common. O(entities).
  func isApart(from other: ChangeTable) -> Bool {
    var theirs = other.spans[...]
    for span in spans {
      while let first = theirs.first, first.entity < span.entity { theirs.removeFirst() }
      guard let their = theirs.first, their.entity == span.entity else { continue }
      if span.first <= their.last && their.first <= span.last { return false }
    }
    return true
  }
}

// MARK: - As a collection

extension ChangeTable: RandomAccessCollection {
  package typealias Element = (key: ObjectKey, value: Change)

  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { keys.count }
  @inlinable package subscript(position: Int) -> Element { (keys[position], values[position]) }

  package func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> ChangeTable {
    var builder = Builder(expecting: 0)
    for element in self where try isIncluded(element) { builder.append(element.key, element.value) }
    return builder.finished()
  }
}

// MARK: - Making

extension ChangeTable {
  /// Gathers changes in any order.
  package struct Builder {
    @usableFromInline var keys: [ObjectKey] = []
    @usableFromInline var values: [Change] = []
    @usableFromInline var isAscending = true

    package init(expecting count: Int) {
      keys.reserveCapacity(count)
      values.reserveCapacity(count)
    }

    /// If two changes have one object, the later counts.
    @inlinable package mutating func append(_ key: ObjectKey, _ change: consuming Change) {
      if let last = keys.last, last >= key { isAscending = false }
      keys.append(key)
      values.append(change)
    }

    /// O(n) if the keys were appended in order or nearly so, or are close together.
    package func finished() -> ChangeTable {
      if isAscending { return ChangeTable(ascending: keys, values) }
      let order = RadixSort.sorted(keys.map(\.rawValue))
      var (sortedKeys, sortedValues): ([ObjectKey], [Change]) = ([], [])
      sortedKeys.reserveCapacity(keys.count)
      sortedValues.reserveCapacity(keys.count)
      for place in order {
        let (key, change) = (keys[Int(place)], values[Int(place)])
        if sortedKeys.last == key {
          sortedValues[sortedValues.count - 1] = change
        } else {
          sortedKeys.append(key)
          sortedValues.append(change)
        }
      }
      return ChangeTable(ascending: sortedKeys, sortedValues)
    }
  }

  /// These changes with the changes of `newer` laid over them. O(changes of both).
  func merging(_ newer: ChangeTable) -> ChangeTable { .merged([newer, self]) }

  /// The changes of tables, of which the first is the newest. O(changes of all).
  static func merged(_ tables: [ChangeTable]) -> ChangeTable {
    let tables = tables.filter { !$0.isEmpty }
    if tables.count < 2 { return tables.first ?? ChangeTable() }
    var merge = TableMerge(tables)
    var budget = Int.max
    merge.advance(&budget)
    return merge.finished()
  }

  /// These changes with others instead of some: nil takes one out. O(n + others log others).
  func replacing(_ others: [ObjectKey: Change?]) -> ChangeTable {
    if let replaced = replacingInPlace(others) { return replaced }
    var added = Builder(expecting: others.count)
    var removed: Set<ObjectKey> = []
    for (key, change) in others {
      if let change { added.append(key, change) } else { removed.insert(key) }
    }
    let kept = removed.isEmpty ? self : filter { !removed.contains($0.key) }
    return kept.merging(added.finished())
  }

  /// These changes with others of the same objects; nil if others add or take out an object.
  private func replacingInPlace(_ others: [ObjectKey: Change?]) -> ChangeTable? {
    var values = values
    for (key, change) in others {
      guard let change, let place = index(of: key) else { return nil }
      values[place] = change
    }
    return ChangeTable(ascending: keys, values)
  }
}
