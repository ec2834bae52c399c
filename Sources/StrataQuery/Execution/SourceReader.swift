// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Finds the objects of sources in one read view, including pending changes. The indexes of the
/// store and of all layers are walked together (`ReadView.walkIndex`), and so are links.
///
/// The reader decides at run time whether a source is worthwhile. Each source has a maximum number
/// of keys and is given up beyond that number.
///
/// | source | maximum number of keys |
/// | --- | --- |
/// | the first of an intersection | one object in eight if the fetch reads records, else all |
/// | each further one | four times the number found so far: costs half of looking those up |
/// | each further word of a text | 64 times the number found so far, the rarest word first |
/// | each further word, for phrases | 8 times: the texts are searched in any case |
/// | the start of a relationship | one object in eight: each costs a look-up |
///
/// The wasted walk over a source that is given up is therefore only a part of the work that
/// follows.
///
/// ## Isolation
/// It belongs to one fetch.
struct SourceReader {
  let view: ReadView
  /// The number of candidates above which walking the records is faster than looking them up.
  let lookupCountMax: Int
  let trace: PlanTrace?
  private(set) var reads = ReadCount()

  /// The number of entries to walk for each key that a further source may remove.
  private static let entriesPerKey = 4
  /// The same for each key whose text would be searched for the words.
  private static let entriesPerText = 64
  /// The same for each key whose text is searched, whatever words the index says that it has.
  private static let entriesPerPhrase = 8

  /// Returns the objects of `source`; nil if there are more than `most`.
  mutating func keys(of source: CandidateSource, upTo most: Int) throws -> KeySet? {
    trace?.begin(source)
    let before = reads
    let found = try read(source, upTo: most)
    trace?.end(found: found?.keys.count, reads - before)
    return found
  }

  private mutating func read(_ source: CandidateSource, upTo most: Int) throws -> KeySet? {
    switch source {
    case .index(let access): try walk(access, upTo: most)
    // The existence of the named objects is checked when they are looked up.
    case .keys(let keys): keys.count > most ? nil : KeySet(keys, doubtful: nil)
    case .union(let sources): try union(sources, upTo: most)
    case .intersection(let sources): try intersection(sources, upTo: most)
    case .words(let sources, let isWhole):
      try intersection(
        rarestFirst(sources), upTo: most, isWhole ? Self.entriesPerText : Self.entriesPerPhrase)
    case .related(let hop, let source): try follow(hop, from: source, upTo: most)
    }
  }

  private mutating func walk(_ access: IndexAccess, upTo most: Int) throws -> KeySet? {
    // To count a word's entries takes a fraction of the time of a walk that is given up.
    if access.index.isOfWords, most < .max, try entryCount(of: access, atMost: most) == nil {
      return nil
    }
    var keys: [ObjectKey] = []
    var doubtful: Set<ObjectKey> = []
    let isCertain = access.range.certainty == .all
    for range in access.range.keyRanges {
      reads.entries += try view.walkIndex(access.index.number, in: range, isReversed: false) {
        entry, key in
        keys.append(key)
        if !isCertain, !access.isCertain(entry) { doubtful.insert(key) }
        return keys.count > most ? .stop : .more
      }
      if keys.count > most { return nil }
    }
    return KeySet(keys, doubtful: doubtful)
  }

  /// O(k log k) for k keys of all sources.
  private mutating func union(_ sources: [CandidateSource], upTo most: Int) throws -> KeySet? {
    var all: [ObjectKey] = []
    var doubtful: Set<ObjectKey>? = []
    for source in sources {
      guard let found = try keys(of: source, upTo: most == .max ? .max : most - all.count) else {
        return nil
      }
      all += found.keys
      if let found = found.doubtful { doubtful?.formUnion(found) } else { doubtful = nil }
    }
    return KeySet(all, doubtful: doubtful)
  }

  private mutating func intersection(
    _ sources: [CandidateSource], upTo most: Int, _ entriesPerKey: Int = entriesPerKey
  ) throws -> KeySet? {
    var common: KeySet?
    var hasGivenUp = false
    for source in sources {
      if common?.keys.isEmpty == true {
        trace?.skip(source)
        continue
      }
      guard let found = try keys(of: source, upTo: bound(after: common, most, entriesPerKey))
      else {
        hasGivenUp = true
        continue
      }
      common = common?.intersection(found) ?? found
    }
    if hasGivenUp, common?.keys.isEmpty == false { common?.doubtful = nil }
    return common
  }

  /// The numbers of entries up to which words are counted to find the rarest ones.
  private static let rarityBounds = [64, 1_024, 16_384, 262_144]

  /// Returns the sources with those first that have few entries, the fewest first. A word that is
  /// in most texts is counted to about the number of a rare one.
  // Not inlined: reading recurses through its caller, within a limit of the stack.
  @inline(never)
  private mutating func rarestFirst(_ sources: [CandidateSource]) throws -> [CandidateSource] {
    for bound in Self.rarityBounds {
      var rare: [(count: Int, place: Int)] = []
      for (place, source) in sources.enumerated() {
        if let count = try entryCount(of: source, atMost: bound) { rare.append((count, place)) }
      }
      if rare.isEmpty { continue }
      rare.sort { $0 < $1 }
      let others = sources.indices.filter { place in !rare.contains { $0.place == place } }
      return (rare.map(\.place) + others).map { sources[$0] }
    }
    return sources
  }

  /// The number of entries that the source of a word has; nil if there are more than `most`.
  private mutating func entryCount(
    of source: CandidateSource, atMost most: Int
  ) throws -> Int? {
    switch source {
    case .index(let access): try entryCount(of: access, atMost: most)
    // The words that begin alike.
    case .union(let sources) where sources.count == 1:
      try entryCount(of: sources[0], atMost: most)
    default: nil
    }
  }

  @inline(never)
  private mutating func entryCount(of access: IndexAccess, atMost most: Int) throws -> Int? {
    var count = 0
    for range in access.range.keyRanges {
      let found = try view.entryCount(of: access.index.number, in: range, atMost: most - count)
      reads.entries += found ?? (most - count)
      guard let found else { return nil }
      count += found
    }
    return count
  }

  private func bound(after found: KeySet?, _ most: Int, _ entriesPerKey: Int) -> Int {
    guard let found else { return most }
    // There are too many keys to look up, so further entries are the only way to reduce them.
    if found.keys.count > lookupCountMax { return .max }
    return found.keys.count * entriesPerKey
  }

  // MARK: - Relationships

  /// Returns the objects at the other end of a relationship from the objects of `source`. Objects
  /// found from a doubtful one are doubtful.
  private mutating func follow(
    _ hop: CandidateSource.Hop, from source: CandidateSource, upTo most: Int
  ) throws -> KeySet? {
    guard let start = try keys(of: source, upTo: min(most, lookupCountMax)) else { return nil }
    var all: [ObjectKey] = []
    var doubtful: Set<ObjectKey> = []
    for key in start.keys {
      let found = try others(of: key, hop)
      all += found
      if start.isDoubtful(key) { doubtful.formUnion(found) }
      if all.count > most { return nil }
    }
    return KeySet(all, doubtful: doubtful)
  }

  /// Returns the objects at the other end of the relationship from one object. The target of a
  /// to-one slot is one of them if it exists.
  private mutating func others(
    of key: ObjectKey, _ hop: CandidateSource.Hop
  ) throws -> [ObjectKey] {
    if case .target = hop.step {
      // A request may name objects of any entity, and an inherited index has entries of the whole
      // hierarchy.
      guard hop.owner.family.contains(key.entity) else { return [] }
      reads.records += 1
      return try view.ends(of: hop.step, from: key).filter(view.exists)
    }
    let found = try view.ends(of: hop.step, from: key)
    reads.entries += found.count
    return found
  }
}
