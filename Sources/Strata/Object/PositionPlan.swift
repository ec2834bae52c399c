// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives

/// Chooses the numbers of new members of an ordered relationship, and the members to renumber to
/// make room.
///
/// A number is 64 bits. The first member gets 2⁶³, those at the ends 2⁴⁰ more or less than their
/// neighbour, those in between the middle between theirs. A run that is inserted at one place, one
/// after the other, forwards or backwards, takes a thousandth of the room each time, not half of
/// it, from its second or third member on. Each number is offset a little by its object's key.
///
/// | inserted | until there is no room |
/// | --- | --- |
/// | at an end | 2²³ members |
/// | as a run in the middle, one after the other | about 22,000 |
/// | always into the smaller half | 33 |
///
/// ## When there is no room
/// Then neighbours are renumbered, in a window around the position: two members, four, eight …,
/// until one has room enough. A window of twice the size must have twice as much room for each
/// member: 2⁸ for two, 2⁹ for four, and so on. So after a window was renumbered, each half of it
/// has twice the required room, and takes as many insertions as it has members before it is
/// renumbered again: O(1) numbers written for each insertion and size of window, O(log members) for
/// each insertion, in every order of insertions. (M. A. Bender et al., "Two simplified algorithms
/// for maintaining order in a list", 2002.) The whole list is renumbered only if it has more than
/// 2²⁷ members.
///
/// Members without a number come last; they are numbered when a member is inserted behind them.
struct PositionPlan {
  /// Of the new members, ascending.
  private(set) var positions: [UInt64] = []
  /// Members that get another number.
  private(set) var moved: [ReadView.Member] = []

  /// - Parameters:
  ///   - keys: of the new members, at least one.
  ///   - index: the index of the first of them, 0 … `members.count`.
  init(inserting keys: [ObjectKey], at index: Int, in members: OrderedMembers) {
    let numberedCount = members.count - members.unnumberedCount
    // Members without a number before the new ones are numbered with them.
    let overtaken = index > numberedCount ? members.members(in: numberedCount..<index) : []
    let run = overtaken.map(\.key) + keys
    let place = min(index, numberedCount)
    let numbers: [UInt64]
    if let numbering = EvenNumbers(run.count, at: place, of: numberedCount, in: members) {
      numbers = run.enumerated().map { numbering.number($0, of: $1) }
    } else {
      numbers = renumber(run.count, at: place, in: members, numberedCount: numberedCount)
    }
    for (member, number) in zip(overtaken, numbers) {
      moved.append(ReadView.Member(key: member.key, position: number))
    }
    positions = Array(numbers.dropFirst(overtaken.count))
  }

  // MARK: - Where there is room

  /// Numbers at equal distances.
  private struct EvenNumbers {
    let first: UInt64
    let step: UInt64

    /// The numbers of `count` members at `place`; nil if the neighbours do not leave enough room.
    init?(_ count: Int, at place: Int, of numberedCount: Int, in members: OrderedMembers) {
      let count = UInt64(count)
      let lower = place > 0 ? members[place - 1] : nil
      let upper = place < numberedCount ? members[place] : nil
      // All numbers are above `floor` and below `ceiling`.
      let ceiling = upper?.position ?? ListPosition.unnumbered
      let room = ceiling - min(lower?.position ?? 0, ceiling)
      let even = room / (count + 1)
      let open = min(ListPosition.spacing, even)
      let kept = max(1, (room >> 10) / count)
      switch (lower, upper) {
      case (nil, nil): (step, first) = (open, ListPosition.middle - count / 2 * open)
      case (let lower?, nil): (step, first) = (open, lower.position + open)
      case (nil, _?): (step, first) = (open, ceiling - count * open)
      case (let lower?, _?)
      where lower.key == members.insertedLast && room > count
        && (place < 2 || Self.goesOn(in: room, besides: members[place - 2], lower)):
        (step, first) = (kept, lower.position + kept)
      case (_, let upper?)
      where upper.key == members.insertedLast && room > count
        && (place + 1 >= numberedCount
          || Self.goesOn(in: room, besides: upper, members[place + 1])):
        (step, first) = (kept, upper.position - count * kept)
      case (let lower?, _?): (step, first) = (even, lower.position + even)
      }
      if step == 0 { return nil }
    }

    /// Whether a run goes on: the last member inserted has no more room on its other side than it
    /// has here. A run leaves little room behind, and a thousandth of that would soon be nothing.
    private static func goesOn(
      in room: UInt64, besides lower: ReadView.Member, _ upper: ReadView.Member
    ) -> Bool {
      (upper.position - lower.position) / 2 <= room
    }

    /// The number at `index`, a little off by the object's key: of two contexts that insert at one
    /// place, each takes numbers of its own, and there is room between them.
    func number(_ index: Int, of key: ObjectKey) -> UInt64 {
      let mixed = key.rawValue &* 0x9E37_79B9_7F4A_7C15
      return first + UInt64(index) * step + (step / 8).multipliedFullWidth(by: mixed).high
    }
  }

  // MARK: - Making room

  /// Renumbers a window around `place`.
  ///
  /// - Returns: the numbers of the `count` new ones.
  private mutating func renumber(
    _ count: Int, at place: Int, in members: OrderedMembers, numberedCount: Int
  ) -> [UInt64] {
    var level: UInt64 = 0
    while true {
      let reach = 1 << Int(level)
      let window = max(0, place - reach)..<min(numberedCount, place + reach)
      let isWhole = window == 0..<numberedCount
      let lower = window.lowerBound > 0 ? members[window.lowerBound - 1].position + 1 : 0
      let upper =
        window.upperBound < numberedCount
        ? members[window.upperBound].position : ListPosition.unnumbered
      let total = UInt64(window.count + count)
      let room = upper > lower ? (upper - lower) / (total + 1) : 0
      if room >= 1 << (8 + level) || (isWhole && room > 0) {
        let isOpen = window.upperBound == numberedCount || window.lowerBound == 0
        let step = isOpen ? min(room, ListPosition.spacing) : room
        let first =
          isWhole
          ? ListPosition.middle - total / 2 * step
          : window.lowerBound == 0 ? upper - total * step : lower - 1 + step
        return number(window, place, count, members) { first + UInt64($0) * step }
      }
      require(!isWhole, "an ordered relationship has fewer than 2⁶³ members")
      level += 1
    }
  }

  private mutating func number(
    _ window: Range<Int>, _ place: Int, _ count: Int, _ members: OrderedMembers,
    _ number: (Int) -> UInt64
  ) -> [UInt64] {
    for (offset, member) in members.members(in: window).enumerated() {
      let isBehind = window.lowerBound + offset >= place
      let position = number(isBehind ? offset + count : offset)
      if position != member.position {
        moved.append(ReadView.Member(key: member.key, position: position))
      }
    }
    let first = place - window.lowerBound
    return (first..<(first + count)).map(number)
  }
}
