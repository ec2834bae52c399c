// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord

/// How well a text fits a query for words, compared with other texts: Okapi BM25 (Robertson and
/// Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009).
///
/// ```
///  relevance = Σ over the query's words  weight · n · (k₁ + 1) / (n + k₁ · (1 - b + b · l / L))
///  weight    = ln(1 + (N - d + ½) / (d + ½))
///
///  n  how often the word is in the text      d  the number of texts that have the word
///  l  the number of words of the text        N  the number of texts
///  L  the average of l over all texts        k₁ = 1.2, b = 0.75
/// ```
///
/// All objects that the index of words covers count, in the view of the fetch.
/// A class, because its identity finds the scale in the `RowReader`.
///
/// ## Isolation
/// Sendable: constant.
final class Relevance: Operand {
  let path: ResolvedPath
  let query: WordQuery
  let index: PropertyNumber

  init(_ path: ResolvedPath, _ query: WordQuery, _ index: PropertyNumber) {
    self.path = path
    self.query = query
    self.index = index
  }

  var kind: OperandKind? { .number }

  func value(of row: Row, _ reader: RowReader) throws -> PropertyValue {
    let scale = try reader.scale(of: self)
    guard let text = try reader.slot(path, of: row)?.bytes(.string) else { return .double(0) }
    return .double(scale.relevance(of: text, query))
  }

  var description: String { "relevance of \(path.name)" }
}

/// The part of the relevance to one query that all texts have in common.
///
/// ## Isolation
/// It belongs to one fetch and is not Sendable.
final class RelevanceScale {
  private static let saturation = 1.2
  private static let lengthShare = 0.75

  /// For each word of the query.
  private let weights: [Double]
  private let averageLength: Double
  /// How often each word of the query is in the last text.
  private var counts: [Int]

  init(_ relevance: Relevance, in view: ReadView) throws {
    let statistics = try view.wordStatistics(of: relevance.index)
    averageLength = Double(statistics.wordCount) / Double(max(statistics.textCount, 1))
    weights = try relevance.query.folded.map { word, isPrefix in
      let count = try view.textCount(
        of: .word(word, isPrefix: isPrefix), isPrefix: isPrefix, in: relevance.index)
      let (texts, having) = (Double(statistics.textCount), Double(count))
      return log(1 + (texts - having + 0.5) / (having + 0.5))
    }
    counts = Array(repeating: 0, count: weights.count)
  }

  func relevance(of text: UnsafeRawBufferPointer, _ query: WordQuery) -> Double {
    let length = Double(query.count(in: text, &counts))
    let share = Self.lengthShare
    var sum = 0.0
    for (weight, count) in zip(weights, counts) where count > 0 {
      let count = Double(count)
      let damping = Self.saturation * (1 - share + share * length / averageLength)
      sum += weight * count * (Self.saturation + 1) / (count + damping)
    }
    return sum
  }
}

extension ReadView {
  /// The number of texts that have a word in a range of an index of words. O(entries).
  fileprivate func textCount(
    of range: IndexRange, isPrefix: Bool, in index: PropertyNumber
  ) throws -> Int {
    var count = 0
    for range in range.keyRanges {
      // With pending changes, counting would read all words of the changed objects' stored texts.
      if !isPrefix, layers.isEmpty, let counted = try countEntries(of: index, in: range)?.count {
        count += counted
        continue
      }
      // An object may have several words with the prefix.
      var keys: Set<ObjectKey> = []
      _ = try walkIndex(index, in: range, isReversed: false) { _, key in
        keys.insert(key)
        return .more
      }
      count += keys.count
    }
    return count
  }
}
