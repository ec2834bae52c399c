// SPDX-License-Identifier: Apache-2.0

/// A predicate that bytes say, as a format string and as a function of Swift: any bytes are one.
/// Values are never nil, so the meaning of each form is that of its operator alone.
struct RandomPredicate {
  let format: String
  let isTrue: (TownFact) -> Bool

  /// The bytes of a tree; zeros behind their end.
  struct Reader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func next(below count: Int) -> Int { Int(rest.popFirst() ?? 0) % count }

    mutating func next<Element>(of elements: [Element]) -> Element {
      elements[next(below: elements.count)]
    }
  }

  private init(_ format: String, _ isTrue: @escaping (TownFact) -> Bool) {
    (self.format, self.isTrue) = (format, isTrue)
  }

  private static let depthMax = 5

  init(_ reader: inout Reader, depth: Int) {
    let kind = depth < Self.depthMax ? reader.next(below: 12) : 11
    switch kind {
    case 0..<6:
      let left = RandomPredicate(&reader, depth: depth + 1)
      let right = RandomPredicate(&reader, depth: depth + 1)
      self =
        kind < 3
        ? Self("(\(left.format) AND \(right.format))") { left.isTrue($0) && right.isTrue($0) }
        : Self("(\(left.format) OR \(right.format))") { left.isTrue($0) || right.isTrue($0) }
    case 6, 7:
      let inner = RandomPredicate(&reader, depth: depth + 1)
      self = Self("NOT (\(inner.format))") { !inner.isTrue($0) }
    default: self = Self.leaf(&reader)
    }
  }

  private static func leaf(_ reader: inout Reader) -> RandomPredicate {
    switch reader.next(below: 11) {
    case 0, 1: numbers(&reader)
    case 2: range(&reader)
    case 3: membership(&reader)
    case 4: area(&reader)
    case 5, 6: text(&reader)
    case 7: labels(&reader)
    case 8: labelCount(&reader)
    case 9: calculation(&reader)
    default:
      reader.next(below: 2) == 0
        ? Self("TRUEPREDICATE") { _ in true } : Self("FALSEPREDICATE") { _ in false }
    }
  }

  // MARK: - Numbers

  private typealias Number = (format: String, value: (TownFact) -> Int)

  private static var paths: [Number] {
    [("code", \.code), ("rank", \.rank), ("region.code", \.regionCode)]
  }

  private typealias Comparison<Value> = (format: String, isTrue: (Value, Value) -> Bool)

  private static func compare<Value: Comparable>(_ reader: inout Reader) -> Comparison<Value> {
    let comparisons: [Comparison<Value>] = [
      ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), ("<=", { $0 <= $1 }),
      (">", { $0 > $1 }), (">=", { $0 >= $1 }),
    ]
    return reader.next(of: comparisons)
  }

  private static func number(_ reader: inout Reader) -> Int { reader.next(below: 75) - 4 }

  private static func numbers(_ reader: inout Reader) -> RandomPredicate {
    let path = reader.next(of: paths)
    let (format, isTrue): Comparison<Int> = compare(&reader)
    if reader.next(below: 4) == 0 {
      let other = reader.next(of: paths)
      return Self("\(path.format) \(format) \(other.format)") {
        isTrue(path.value($0), other.value($0))
      }
    }
    let constant = number(&reader)
    return Self("\(path.format) \(format) \(constant)") { isTrue(path.value($0), constant) }
  }

  private static func range(_ reader: inout Reader) -> RandomPredicate {
    let path = reader.next(of: paths)
    let bounds = [number(&reader), number(&reader)].sorted()
    return Self("\(path.format) BETWEEN {\(bounds[0]), \(bounds[1])}") {
      bounds[0] <= path.value($0) && path.value($0) <= bounds[1]
    }
  }

  private static func membership(_ reader: inout Reader) -> RandomPredicate {
    let path = reader.next(of: paths)
    let constants = (0..<reader.next(below: 5)).map { _ in number(&reader) }
    let list = constants.map(String.init).joined(separator: ", ")
    return Self("\(path.format) IN {\(list)}") { constants.contains(path.value($0)) }
  }

  private static func area(_ reader: inout Reader) -> RandomPredicate {
    let (format, isTrue): Comparison<Double> = compare(&reader)
    let constant = Double(number(&reader)) / 4
    return Self("area \(format) \(constant)") { isTrue($0.area, constant) }
  }

  private static func calculation(_ reader: inout Reader) -> RandomPredicate {
    let (path, other) = (reader.next(of: paths), reader.next(of: paths))
    let factor = 1 + reader.next(below: 3)
    let (format, isTrue): Comparison<Int> = compare(&reader)
    let constant = number(&reader)
    return Self("\(path.format) * \(factor) - \(other.format) \(format) \(constant)") {
      isTrue(path.value($0) * factor - other.value($0), constant)
    }
  }

  // MARK: - Texts

  /// Beginnings, middles and ends of names, one of them in a form that is equal to another.
  private static let texts = [
    "town", "town 1", "Tówn", "To\u{301}wn 6", "TOWN", "n 5", "7", "region 1", "region", "T", "zz",
  ]

  private static func text(_ reader: inout Reader) -> RandomPredicate {
    let path: (format: String, value: (TownFact) -> String) = reader.next(of: [
      ("name", \.name), ("region.name", \.regionName),
    ])
    let text = reader.next(of: texts)
    let operators: [(format: String, isTrue: (String, String) -> Bool)] = [
      ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), (">=", { $0 >= $1 }),
      ("BEGINSWITH", { $0.hasPrefix($1) }), ("ENDSWITH", { $0.hasSuffix($1) }),
      ("CONTAINS", { $0.contains($1) }),
      ("==[c]", { $0.lowercased() == $1.lowercased() }),
      ("BEGINSWITH[c]", { $0.lowercased().hasPrefix($1.lowercased()) }),
    ]
    let chosen = reader.next(of: operators)
    return Self("\(path.format) \(chosen.format) '\(text)'") { chosen.isTrue(path.value($0), text) }
  }

  // MARK: - Members

  private static func labels(_ reader: inout Reader) -> RandomPredicate {
    let label = "label \(reader.next(below: 5))"
    return reader.next(of: [
      Self("ANY labels.name == '\(label)'") { $0.labels.contains(label) },
      Self("ALL labels.name == '\(label)'") { $0.labels.allSatisfy { $0 == label } },
      Self("NONE labels.name == '\(label)'") { !$0.labels.contains(label) },
      Self("ANY labels.name > '\(label)'") { $0.labels.contains { $0 > label } },
    ])
  }

  private static func labelCount(_ reader: inout Reader) -> RandomPredicate {
    let (format, isTrue): Comparison<Int> = compare(&reader)
    let constant = reader.next(below: 5)
    if reader.next(below: 2) == 0 {
      return Self("labels.@count \(format) \(constant)") { isTrue($0.labels.count, constant) }
    }
    let label = "label \(reader.next(below: 5))"
    return Self("SUBQUERY(labels, $x, $x.name <= '\(label)').@count \(format) \(constant)") {
      isTrue($0.labels.filter { $0 <= label }.count, constant)
    }
  }
}
