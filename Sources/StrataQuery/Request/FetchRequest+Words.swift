// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

// Searches for words in texts. SQLite: FTS5. The grammar of queries is at `WordQuery`.

extension PropertyPath where Leaf: TextValue {
  /// Whether the text has all words, prefixes and phrases of a query: `"swift sto* \"object
  /// store\""`. False for nil.
  ///
  /// The index of a `.fullText` attribute is used, also over relationships. Without one, the words
  /// of each object's text are looked at. A fetch throws `QueryError.invalidWords` if `words` is
  /// not a query. Format strings: CONTAINSWORDS.
  public func contains(words: String) -> FetchPredicate {
    FetchPredicate(WordMatch(operand, Constant(.string(words))))
  }

  /// How well the text fits a query, compared with the texts of all objects: Okapi BM25 with k₁ =
  /// 1.2 and b = 0.75. The more often a text has the words, the rarer they are in other texts, and
  /// the shorter the text is, the higher the number. It is 0 for a text without any of the words,
  /// and for nil, and never negative.
  ///
  /// Words of phrases count one by one, and a prefix counts as one word that is all the words that
  /// begin so. The number depends on all texts of the attribute, unsaved ones included: compare it
  /// within one fetch only.
  ///
  /// A fetch throws `QueryError.withoutWordIndex` if the attribute is not `.fullText`, and
  /// `QueryError.invalidWords` if `words` is not a query.
  ///
  /// - Complexity: O(length of the text), for each object.
  public func relevance(to words: String) -> PropertyPath<Root, Double> {
    PropertyPath<Root, Double>(calculated: RelevanceNode(of: operand, to: words))
  }
}

extension FetchRequest {
  /// Adds a sort key for how well a text fits a query, the best first, less significant than the
  /// keys before. The request still has to select objects: `where { $0.text.contains(words: … ) }`.
  ///
  /// - Parameters:
  ///   - keyPath: the key path of a `.fullText` attribute, perhaps through to-one relationships.
  ///   - words: the query, in the grammar of `WordQuery`.
  public func sorted<V: TextValue>(
    byRelevanceOf keyPath: KeyPath<Root, V> & Sendable, to words: String
  ) -> FetchRequest {
    sorted(byRelevanceOf: PathNode(PathReference([keyPath])), to: words)
  }

  /// Adds a sort key for how well a text that is known by its name at run time, `"article.text"`,
  /// fits a query, the best first, less significant than the keys before.
  public func sorted(byRelevanceOf keyPath: String, to words: String) -> FetchRequest {
    sorted(
      byRelevanceOf: PathNode(PathReference(steps: PathStep.names(keyPath))), to: words)
  }

  private func sorted(byRelevanceOf text: any OperandNode, to words: String) -> FetchRequest {
    with {
      $0.sortKeys.append(SortKey(operand: RelevanceNode(of: text, to: words), order: .reverse))
    }
  }
}
