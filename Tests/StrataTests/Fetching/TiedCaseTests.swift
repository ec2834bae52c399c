// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// Marks of which some are as good as others. The order of the cases and that of the raw values
/// are other ones.
private enum Mark: Int, AttributeValue, CaseIterable, Comparable {
  case fair = 5
  case good = 1
  case fine = 4
  case poor = 3
  case bad = 2

  private var worth: Int {
    switch self {
    case .bad, .poor: 0
    case .fair: 1
    case .fine, .good: 2
    }
  }

  static func < (left: Mark, right: Mark) -> Bool { left.worth < right.worth }
}

@Entity private final class Exam: ManagedObject {
  @Attribute var mark: Mark = .fair
  @Attribute var earlier: Mark?
}

@Suite struct `Cases of an enum of which neither is less` {
  /// Calls `body` with exams of every mark, saved, and expects the same marks from a filter.
  private func compare(
    _ body: @Sendable (_ bounds: (Mark, Mark), ManagedObjectContext) throws -> Void
  ) throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Exam.self))
    try container.root.performAndWait { context in
      for mark in Mark.allCases {
        let exam = Exam(context: context)
        (exam.mark, exam.earlier) = (mark, mark)
      }
      try context.save()
      for lower in Mark.allCases {
        for upper in Mark.allCases { try body((lower, upper), context) }
      }
    }
  }

  @Test func `are in a range as they are in Swift's`() throws {
    try compare { bounds, context in
      let (lower, upper) = bounds
      guard lower <= upper else { return }
      let all = try context.fetch(Exam.all)
      let closed = all.filter { (lower...upper).contains($0.mark) }
      let half = all.filter { (lower..<upper).contains($0.mark) }
      #expect(
        Set(try context.fetch(Exam.where { $0.mark.isIn(lower...upper) })) == Set(closed),
        "\(lower)...\(upper)")
      #expect(
        Set(try context.fetch(Exam.where { $0.mark.isIn(lower..<upper) })) == Set(half),
        "\(lower)..<\(upper)")
      #expect(
        Set(try context.fetch(Exam.where { (lower...upper).contains($0.earlier) })) == Set(closed),
        "\(lower)...\(upper)")
    }
  }

  @Test func `compare with a constant, and with each other, as in Swift`() throws {
    try compare { bounds, context in
      let bound = bounds.0
      let all = try context.fetch(Exam.all)
      #expect(
        Set(try context.fetch(Exam.where { $0.mark < bound }))
          == Set(all.filter { $0.mark < bound }), "\(bound)")
      #expect(
        Set(try context.fetch(Exam.where { $0.mark >= bound }))
          == Set(all.filter { $0.mark >= bound }), "\(bound)")
      for exam in all { exam.earlier = bound }
      #expect(
        Set(try context.fetch(Exam.where { $0.mark <= $0.earlier }))
          == Set(all.filter { $0.mark <= bound }), "\(bound)")
    }
  }
}
