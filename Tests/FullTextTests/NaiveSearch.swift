// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Searches and ranks texts word by word, as the guide FullText says, without an index. It knows
/// words of letters and digits between other characters, and folds them with Foundation.
struct NaiveSearch {
  /// The words of each text; nil for an object without a text.
  let texts: [Int: [String]]

  init(_ texts: [Int: String?]) {
    self.texts = texts.compactMapValues { $0.map(Self.words) }
  }

  static func words(of text: String) -> [String] {
    text.split { !$0.isLetter && !$0.isNumber }.map { word in
      word.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).lowercased()
    }
  }

  /// A part of a query: words in sequence, of which the last may be a prefix.
  struct Part {
    var words: [String]
    var isPrefix = false

    var text: String {
      let text = words.joined(separator: " ") + (isPrefix ? "*" : "")
      return words.count > 1 ? "\"\(text)\"" : text
    }

    /// Whether the word at `place` is the one of the part.
    fileprivate func fits(_ word: String, at place: Int) -> Bool {
      isPrefix && place == words.count - 1 ? word.hasPrefix(words[place]) : word == words[place]
    }
  }

  /// The texts that have all parts.
  func found(_ parts: [Part]) -> Set<Int> {
    Set(
      texts.keys.filter { number in
        let words = texts[number]!
        return parts.allSatisfy { part in
          words.indices.contains { start in
            part.words.indices.allSatisfy { place in
              start + place < words.count && part.fits(words[start + place], at: place)
            }
          }
        }
      })
  }

  /// Okapi BM25 of a text.
  func relevance(of number: Int, _ parts: [Part]) -> Double {
    guard let words = texts[number] else { return 0 }
    let average = Double(texts.values.map(\.count).reduce(0, +)) / Double(texts.count)
    var sum = 0.0
    for part in parts {
      for place in part.words.indices {
        let having = texts.values.count { $0.contains { part.fits($0, at: place) } }
        let weight = Foundation.log(
          1 + (Double(texts.count) - Double(having) + 0.5) / (Double(having) + 0.5))
        let times = Double(words.count { part.fits($0, at: place) })
        let length = Double(words.count)
        sum += weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / average))
      }
    }
    return sum
  }
}
