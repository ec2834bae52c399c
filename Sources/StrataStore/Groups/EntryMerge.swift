// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// A walk through one index of several stores, in the order of the entries. Entries are read ahead
/// and copied, store by store, a few at first and more later.
///
/// ## Lifetime
/// A scan.
struct EntryMerge {
  private let index: PropertyNumber
  private let isReversed: Bool
  private var sources: [Source]

  /// The entries of one store that are next.
  private struct Source {
    let view: StoreView
    /// The entries that were not read yet; nil if all were.
    var rest: KeyRange?
    /// Entries one after the other.
    var bytes: [UInt8] = []
    /// The end of each in `bytes`.
    var ends: [Int] = []
    var keys: [ObjectKey] = []
    /// The first that was not passed on.
    var place = 0
    /// How many to read next.
    var countMax = 16

    func entry(at place: Int) -> Range<Int> { (place == 0 ? 0 : ends[place - 1])..<ends[place] }
  }

  private static let countMax = 1_024

  init(_ views: [StoreView], _ index: PropertyNumber, in range: KeyRange, isReversed: Bool) {
    (self.index, self.isReversed) = (index, isReversed)
    sources = views.map { Source(view: $0, rest: range) }
  }

  mutating func run(
    _ body: (_ entry: UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    while let next = try nextSource() {
      let source = sources[next]
      sources[next].place += 1
      let entry = source.entry(at: source.place)
      let step = try source.bytes.withUnsafeBytes {
        try body(UnsafeRawBufferPointer(rebasing: $0[entry]), source.keys[source.place])
      }
      if step == .stop { return }
    }
  }

  /// The source with the entry that comes first; nil if there are no more.
  private mutating func nextSource() throws -> Int? {
    var first: Int?
    for index in sources.indices {
      if sources[index].place == sources[index].keys.count { try read(&sources[index]) }
      guard sources[index].place < sources[index].keys.count else { continue }
      if let former = first, !precedes(sources[index], sources[former]) { continue }
      first = index
    }
    return first
  }

  private func precedes(_ left: Source, _ right: Source) -> Bool {
    let entry = left.bytes[left.entry(at: left.place)]
    let other = right.bytes[right.entry(at: right.place)]
    return isReversed
      ? other.lexicographicallyPrecedes(entry) : entry.lexicographicallyPrecedes(other)
  }

  private func read(_ source: inout Source) throws {
    guard let range = source.rest else { return }
    source.bytes.removeAll(keepingCapacity: true)
    source.ends.removeAll(keepingCapacity: true)
    source.keys.removeAll(keepingCapacity: true)
    source.place = 0
    try source.view.scanIndex(index, in: range, isReversed: isReversed) { entry, key in
      source.bytes.append(contentsOf: entry)
      source.ends.append(source.bytes.count)
      source.keys.append(key)
      return source.keys.count < source.countMax ? .more : .stop
    }
    guard source.keys.count == source.countMax else {
      source.rest = nil
      return
    }
    source.countMax = min(2 * source.countMax, Self.countMax)
    let last = Array(source.bytes[source.entry(at: source.keys.count - 1)])
    // The least bytes above an entry are its own and a zero.
    source.rest =
      isReversed
      ? KeyRange(lower: range.lower, upper: last) : KeyRange(lower: last + [0], upper: range.upper)
  }
}
