// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives

/// The members of one ordered relationship in their order, kept so that a place is found by its
/// index and an index by its member without going through the list: moving a member of a hundred
/// thousand costs a few microseconds.
///
/// ```
///  chunks   [a b c …] [k l m …] [v w …]      sorted by (position, key), each at most 1,024 long
///  positions  a: 4294967296, b: 8589934592, …
/// ```
///
/// ## Invariants
/// - I1 No chunk is empty; the members ascend within chunks and from chunk to chunk.
/// - I2 `positions` has just the members of the chunks.
/// - I3 Members without a number have position `.max`, and come last.
///
/// ## Isolation
/// The context's.
final class OrderedMembers {
  typealias Member = ReadView.Member

  private var chunks: [[Member]] = []
  private var positions: [ObjectKey: UInt64] = [:]
  /// How many members have no number: they were linked from their own side.
  private(set) var unnumberedCount = 0
  /// The member that was inserted last. A run of insertions goes on beside it, and room is kept for
  /// that.
  var insertedLast: ObjectKey?

  private static let chunkCountMax = 1_024

  /// - Parameter members: in their order.
  init(_ members: [Member]) {
    let length = Self.chunkCountMax / 2
    chunks = stride(from: 0, to: members.count, by: length).map {
      Array(members[$0..<min($0 + length, members.count)])
    }
    positions.reserveCapacity(members.count)
    for member in members { positions[member.key] = member.position }
    unnumberedCount = members.count { $0.position == .max }
  }

  var count: Int { positions.count }

  /// All members in their order. O(members).
  var all: [Member] { chunks.flatMap { $0 } }

  func contains(_ key: ObjectKey) -> Bool { positions[key] != nil }

  func position(of key: ObjectKey) -> UInt64? { positions[key] }

  // MARK: - Places

  /// The member at `index`. O(members / 1,024), O(1) for one of the last few: filling a list asks
  /// for nothing else.
  ///
  /// - Precondition: 0 ≤ `index` < `count`.
  subscript(index: Int) -> Member {
    if let last = chunks.last, index >= count - last.count {
      return last[index - count + last.count]
    }
    var rest = index
    for chunk in chunks {
      if rest < chunk.count { return chunk[rest] }
      rest -= chunk.count
    }
    stopProgram("the index \(index) is beyond the list's end")
  }

  /// The members at `range`. O(range + members / 1,024).
  func members(in range: Range<Int>) -> [Member] {
    var found: [Member] = []
    var start = 0
    for chunk in chunks where !range.isEmpty {
      let end = start + chunk.count
      let part = range.clamped(to: start..<end)
      if !part.isEmpty { found += chunk[(part.lowerBound - start)..<(part.upperBound - start)] }
      start = end
      if start >= range.upperBound { break }
    }
    return found
  }

  /// The index of a member; nil if the object is not in the list. O(members / 1,024).
  func index(of key: ObjectKey) -> Int? {
    guard let position = positions[key] else { return nil }
    let (chunk, offset) = place(of: Member(key: key, position: position))
    return chunks[..<chunk].reduce(0) { $0 + $1.count } + offset
  }

  // MARK: - Changing

  /// Makes `key` a member, or moves it. O(log members + 1,024).
  func set(_ key: ObjectKey, at position: UInt64) {
    if let former = positions[key] {
      if former == position { return }
      remove(key)
    }
    let member = Member(key: key, position: position)
    positions[key] = position
    if position == .max { unnumberedCount += 1 }
    if chunks.isEmpty {
      chunks = [[member]]
      return
    }
    let (chunk, offset) = place(of: member)
    chunks[chunk].insert(member, at: offset)
    if chunks[chunk].count > Self.chunkCountMax { split(chunk) }
  }

  func remove(_ key: ObjectKey) {
    guard let position = positions.removeValue(forKey: key) else { return }
    if position == .max { unnumberedCount -= 1 }
    let (chunk, offset) = place(of: Member(key: key, position: position))
    chunks[chunk].remove(at: offset)
    let next = chunk + 1
    if chunks[chunk].isEmpty {
      chunks.remove(at: chunk)
    } else if next < chunks.count,
      chunks[chunk].count + chunks[next].count < Self.chunkCountMax / 4
    {
      chunks[chunk] += chunks.remove(at: next)
    }
  }

  private func split(_ chunk: Int) {
    // Appending leaves full chunks behind.
    let isLast = chunk == chunks.count - 1
    let count = isLast ? Self.chunkCountMax * 7 / 8 : chunks[chunk].count / 2
    let upper = Array(chunks[chunk][count...])
    chunks[chunk].removeLast(chunks[chunk].count - count)
    chunks.insert(upper, at: chunk + 1)
  }

  /// Where `member` is, or belongs: in the last chunk that does not begin above it.
  private func place(of member: Member) -> (chunk: Int, offset: Int) {
    let above = chunks.partitioningIndex { member.isBefore($0[0]) }
    let chunk = max(0, above - 1)
    return (chunk, chunks[chunk].partitioningIndex { !$0.isBefore(member) })
  }
}

extension ReadView.Member {
  fileprivate func isBefore(_ other: ReadView.Member) -> Bool {
    position != other.position
      ? position < other.position : key.rawValue < other.key.rawValue
  }
}
