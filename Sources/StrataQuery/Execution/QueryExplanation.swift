// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The executed plan of a fetch request and the number of reads: `context.explain(request)`.
/// SQLite: `EXPLAIN QUERY PLAN`. PostgreSQL: `EXPLAIN ANALYZE`, which has counts too.
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
/// The explanation shows no values of the request. It is a value that can be stored, compared and
/// sent.
public struct QueryExplanation: Codable, Sendable, Hashable {
  /// The kind of result that was requested.
  public enum Answer: String, Codable, Sendable, Hashable {
    /// Objects, as `fetch` returns them.
    case objects
    /// Object IDs, as `fetchIDs` returns them.
    case ids
    /// The number of objects, as `count(_:)` returns it.
    case count
    /// Rows, as a `RowRequest` returns them.
    case rows
  }

  /// The name of the entity.
  public let entity: String
  /// The kind of result that was requested.
  public let answer: Answer
  /// The last step. Each step processes the results of its inputs.
  public let plan: Step
  /// The number of index entries and links that were read, including pending ones.
  public let entriesRead: Int
  /// The number of records that were read, of all entities, including pending ones. A look-up of an
  /// object that does not exist counts too.
  public let recordsRead: Int
  /// The number of returned objects, IDs or rows; for `count`, the count.
  public let rowsReturned: Int

  /// The operation of a step.
  public enum Kind: String, Codable, Sendable, Hashable {
    /// Skips the objects before the offset and stops at the limit.
    case window
    /// Sorts all objects.
    case sort
    /// Finds the first objects in the order, as many as limit and offset require.
    case best
    /// Evaluates for each object the conditions that the step's inputs do not answer.
    case filter
    /// Reads all records of the entity.
    case records
    /// Takes the store's count of records and corrects it by pending changes.
    case count
    /// Walks a range of an index.
    case index
    /// Takes the objects that the predicate names by ID.
    case objects
    /// Takes the objects that all inputs have found.
    case intersection
    /// Takes the objects that any input has found.
    case union
    /// Follows a relationship backwards, from the objects at its end to the objects that refer to
    /// them.
    case relationship
  }

  /// The outcome of a step.
  public enum Outcome: String, Codable, Sendable, Hashable {
    /// The step was executed.
    case done
    /// The step found too many objects, so the fetch used another source.
    case givenUp
    /// The step was not needed: the steps before had found no object.
    case skipped
  }

  /// One step of a plan, with the number of objects that it found and of its reads.
  public struct Step: Codable, Sendable, Hashable {
    /// The operation of the step.
    public let kind: Kind
    /// The index, order or conditions of the step, without values of the request.
    public let detail: String
    /// Whether the step was executed.
    public let outcome: Outcome
    /// The number of objects that the step has found; nil if the step only filters, sorts or limits
    /// the results of its inputs, or was not executed.
    public let found: Int?
    /// The number of index entries and links that this step and its inputs have read. Reads of
    /// later steps count only for the whole request.
    public let entriesRead: Int
    /// The number of records that this step and its inputs have read.
    public let recordsRead: Int
    /// The steps that provide this step's input.
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
  /// A description with one line for the request and one line for each step, the last step first.
  public var description: String {
    let head =
      "\(entity), \(answer.rawValue): \(rowsReturned) returned; "
      + "\(entriesRead) index entries and \(recordsRead) records read"
    return ([head] + plan.lines(indent: "")).joined(separator: "\n")
  }

  /// The explanation as JSON, with the names of the properties as sorted keys.
  ///
  /// - Throws: errors of `JSONEncoder`.
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
