// SPDX-License-Identifier: Apache-2.0
import CPeople
import Foundation

/// The rows of all workloads as Swift has them, made before anything is measured. Index 0 of the
/// arrays is not used: rows are known by their serials, from 1.
///
/// ## Isolation
/// Sendable: constant once made.
// Safety: `rows` is written by `people_make` alone, and never freed.
final class People: @unchecked Sendable {
  struct Person {
    let name, email, bio: String
    let age: Int
    let score: Double
    let created: Date
    /// The serial of the company; 0 without one.
    let company: Int
  }

  /// The same rows as C has them.
  let rows: UnsafePointer<people>
  /// How many persons the workloads are about.
  let scale: Int
  let persons: [Person]
  let companies: [String]
  let nameCount: Int

  /// - Parameter extra: how many more persons there are, to be inserted one by one.
  convenience init(scale: Int, extra: Int) {
    self.init(people_make(UInt64(scale), UInt64(extra)))
  }

  /// - Parameters:
  ///   - members: the number of persons of the only company; they come first.
  ///   - spare: the number of persons without a company.
  convenience init(members: Int, spare: Int) {
    self.init(people_make_members(UInt64(members), UInt64(spare)))
  }

  private init(_ rows: UnsafePointer<people>) {
    self.rows = rows
    let data = rows.pointee
    scale = Int(data.scale)
    nameCount = Int(data.name_count)
    let persons = data.persons
    self.persons = (0...Int(data.person_count)).map { serial in
      let row = persons + serial
      return Person(
        name: Self.text(row, \.name, name_size), email: Self.text(row, \.email, email_size),
        bio: Self.text(row, \.bio, bio_size), age: Int(row.pointee.age), score: row.pointee.score,
        created: Date(timeIntervalSince1970: row.pointee.created),
        company: Int(row.pointee.company))
    }
    let companies = data.companies
    self.companies = (0...Int(data.company_count)).map {
      Self.text(companies + $0, \.name, company_name_size)
    }
  }

  /// The text of distinct name number `index`; beyond `nameCount` are names that no person has.
  static func name(_ index: Int) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: name_size + 1) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      people_name(UInt64(index), start)
      return String(cString: start)
    }
  }

  private static func text<Row, Field>(
    _ row: UnsafePointer<Row>, _ field: KeyPath<Row, Field>, _ size: Int
  ) -> String {
    withUnsafeBytes(of: row.pointee[keyPath: field]) {
      String(decoding: $0.prefix(size).prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

// MARK: - Orders of asking

extension People {
  /// All serials of the workloads in random order, the same in each run.
  var shuffledSerials: [UInt32] {
    Self.shuffled(1...UInt32(scale))
  }

  /// At most `count` distinct names by number, in random order.
  func someNames(_ count: Int) -> [UInt32] {
    Array(Self.shuffled(0...UInt32(nameCount - 1)).prefix(count))
  }

  /// The lower ends of ranges of ages: so few that their first 50 persons are hardly the same ones.
  func someAges(most count: Int) -> [UInt32] {
    (0..<max(1, min(count, scale / 250))).map {
      UInt32(people_mix(UInt64($0) + 77) % UInt64(age_bound - ageRangeWidth + 1))
    }
  }

  /// The number of ages in a range with about 1,000 persons, or all of them.
  var ageRangeWidth: Int {
    min(age_bound, max(1, 1_000 * age_bound / scale))
  }

  static func shuffled(_ numbers: ClosedRange<UInt32>) -> [UInt32] {
    var numbers = Array(numbers)
    for index in stride(from: numbers.count - 1, to: 0, by: -1) {
      numbers.swapAt(index, Int(people_mix(UInt64(index) + 99) % UInt64(index + 1)))
    }
    return numbers
  }
}

// MARK: - Sums

/// The parts of a name that are read: its length and its last byte.
func nameSum(_ name: String) -> UInt64 { name_sum(name.utf8.count, name.utf8.last ?? 0) }

/// The parts of a person that are read, by name and age.
func personSum(age: Int, name: String) -> UInt64 { UInt64(age) &+ nameSum(name) }

/// All that there is of a text.
func textSum(_ text: String) -> UInt64 {
  var text = text
  return text.withUTF8 { bytes in bytes.baseAddress.map { text_sum($0, bytes.count) } ?? 0 }
}
