// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How a fetch request was carried out, and what that has read: `context.explain(request)`.
/// SQLite: `EXPLAIN QUERY PLAN`, but with counts, as PostgreSQL's `EXPLAIN ANALYZE`.
///
/// ```
/// City, objects: 2 returned; 12 index entries and 5 records read
/// sort: population
///   filter: isWalled ==
///     intersection: 5 found
///       index: name (prefix): 5 found
///       relationship: City.country: 6 found
///         index: Country.iso (values): 1 found
/// ```
///
/// A plan shows no values of the request. It is a value that can be kept, compared and sent.
public struct QueryExplanation: Codable, Sendable, Hashable {
  /// What the request was asked for.
  public enum Answer: String, Codable, Sendable, Hashable {
    case objects
    /// As `fetchIDs`.
    case ids
    /// As `count(for:)`.
    case count
  }

  /// The entity, by name.
  public let entity: String
  public let answer: Answer
  /// What was done last; each step works on what its inputs have found.
  public let plan: Step
  /// How many entries of indexes and links were read, pending ones among them.
  public let entriesRead: Int
  /// How many records were read, of all entities, pending ones among them; an object that was looked for
  /// in vain counts too.
  public let recordsRead: Int
  /// How many objects or IDs the answer has; for `count`, the count.
  public let rowsReturned: Int

  /// What a step does.
  public enum Kind: String, Codable, Sendable, Hashable {
    /// Leaves out what is before the offset and beyond the limit.
    case window
    /// Puts all objects into order.
    case sort
    /// Keeps the first in order, as many as limit and offset ask for.
    case best
    /// Asks of each object what its inputs do not answer.
    case filter
    /// Visits all records of the entity.
    case records
    /// Takes the store's own count of records, corrected by what is pending.
    case count
    /// Walks a stretch of an index.
    case index
    /// Takes the objects that the predicate names.
    case objects
    /// Takes what several inputs have in common.
    case intersection
    /// Takes what any input has.
    case union
    /// Follows a relationship backwards, from its other end to those that have it.
    case relationship
  }

  /// Whether a step was of use.
  public enum Outcome: String, Codable, Sendable, Hashable {
    case done
    /// There were too many objects, and another way was taken.
    case givenUp
    /// There was nothing left to find.
    case skipped
  }

  public struct Step: Codable, Sendable, Hashable {
    public let kind: Kind
    /// Which index, which order, which conditions. No values of the request.
    public let detail: String
    public let outcome: Outcome
    /// How many objects it has found; nil if it only passes on, filters or orders what its inputs have,
    /// or was not done.
    public let found: Int?
    /// What this step and its inputs have read to find them. What a later step reads counts with the
    /// whole.
    public let entriesRead: Int
    public let recordsRead: Int
    /// The steps before.
    public let inputs: [Step]

    init(
      _ kind: Kind, _ detail: String, _ outcome: Outcome = .done, found: Int? = nil,
      _ reads: ReadCount = ReadCount(), inputs: [Step]
    ) {
      self.kind = kind
      self.detail = detail
      self.outcome = outcome
      self.found = found
      entriesRead = reads.entries
      recordsRead = reads.records
      self.inputs = inputs
    }
  }
}

// MARK: - As text

extension QueryExplanation: CustomStringConvertible {
  /// One line for the whole and one for each step, what was done last before what it works on.
  public var description: String {
    let head =
      "\(entity), \(answer.rawValue): \(rowsReturned) returned; "
      + "\(entriesRead) index entries and \(recordsRead) records read"
    return ([head] + plan.lines(indent: "")).joined(separator: "\n")
  }

  /// The same as JSON, with the names of the properties here as keys, sorted.
  ///
  /// - Throws: what `JSONEncoder` throws.
  public var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

extension QueryExplanation.Step {
  fileprivate func lines(indent: String) -> [String] {
    var line = indent + kind.rawValue
    if !detail.isEmpty { line += ": \(detail)" }
    switch outcome {
    case .done: if let found { line += ": \(found) found" }
    case .givenUp: line += ": given up after \(entriesRead) entries"
    case .skipped: line += ": not needed"
    }
    return [line] + inputs.flatMap { $0.lines(indent: indent + "  ") }
  }
}
