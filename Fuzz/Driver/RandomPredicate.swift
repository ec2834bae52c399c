// SPDX-License-Identifier: Apache-2.0

/// A predicate that bytes say, as a format string and as a function of Swift: any bytes are one.
/// A value that is nil equals nil alone, and any other comparison with it is false
/// (Docs/CoreData.md, D14); a calculation with it has no value (D47).
struct RandomPredicate {
  let format: String
  let isTrue: (TownFact) -> Bool

  /// The bytes of a tree; zeros behind their end.
  struct Reader {
    private var rest: ArraySlice<UInt8>
    /// The values of the variables that the format string has.
    private(set) var variables: [String: Any?] = [:]

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func next(below count: Int) -> Int { Int(rest.popFirst() ?? 0) % count }

    mutating func next<Element>(of elements: [Element]) -> Element {
      elements[next(below: elements.count)]
    }

    /// A constant as the format string has it: by itself, or as a variable.
    mutating func constant(_ value: Any?, _ literal: String) -> String {
      guard next(below: 3) == 0 else { return literal }
      let name = "v\(variables.count)"
      variables[name] = value
      return "$" + name
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
    switch reader.next(below: 13) {
    case 0, 1: numbers(&reader)
    case 2: range(&reader)
    case 3: membership(&reader)
    case 4: area(&reader)
    case 5, 6: text(&reader)
    case 7: labels(&reader)
    case 8: labelCount(&reader)
    case 9: calculation(&reader)
    case 10: missing(&reader)
    case 11: match(&reader)
    default:
      reader.next(below: 2) == 0
        ? Self("TRUEPREDICATE") { _ in true } : Self("FALSEPREDICATE") { _ in false }
    }
  }

  // MARK: - Numbers

  private typealias Number = (format: String, value: (TownFact) -> Int?)

  private static var paths: [Number] {
    [
      ("code", { $0.code }), ("rank", { $0.rank }), ("region.code", { $0.regionCode }),
      ("height", { $0.height }),
    ]
  }

  private typealias Comparison<Value> = (format: String, isTrue: (Value?, Value?) -> Bool)

  private static func compare<Value: Comparable>(_ reader: inout Reader) -> Comparison<Value> {
    func both(_ isTrue: @escaping (Value, Value) -> Bool) -> (Value?, Value?) -> Bool {
      { left, right in
        guard let left, let right else { return false }
        return isTrue(left, right)
      }
    }
    let comparisons: [Comparison<Value>] = [
      ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", both(<)), ("<=", both(<=)),
      (">", both(>)), (">=", both(>=)),
    ]
    return reader.next(of: comparisons)
  }

  private static func number(_ reader: inout Reader) -> (format: String, value: Int) {
    let value = reader.next(below: 75) - 4
    return (reader.constant(value, "\(value)"), value)
  }

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
    return Self("\(path.format) \(format) \(constant.format)") {
      isTrue(path.value($0), constant.value)
    }
  }

  /// A number that a path or a calculation with paths gives.
  private static func operand(_ reader: inout Reader) -> Number {
    let path = reader.next(of: paths)
    return reader.next(below: 2) == 0 ? path : calculated(path, &reader)
  }

  private static func range(_ reader: inout Reader) -> RandomPredicate {
    let left = operand(&reader)
    let bounds = [number(&reader), number(&reader)].sorted { $0.value < $1.value }
    return Self("\(left.format) BETWEEN {\(bounds[0].format), \(bounds[1].format)}") {
      left.value($0).map { bounds[0].value <= $0 && $0 <= bounds[1].value } ?? false
    }
  }

  private static func membership(_ reader: inout Reader) -> RandomPredicate {
    let left = operand(&reader)
    let constants = (0..<reader.next(below: 5)).map { _ in reader.next(below: 75) - 4 }
    let list = reader.constant(
      constants, "{" + constants.map(String.init).joined(separator: ", ") + "}")
    return Self("\(left.format) IN \(list)") {
      left.value($0).map(constants.contains) ?? false
    }
  }

  private static func area(_ reader: inout Reader) -> RandomPredicate {
    let (format, isTrue): Comparison<Double> = compare(&reader)
    let value = Double(reader.next(below: 75) - 4) / 4
    let constant = reader.constant(value, "\(value)")
    return Self("area \(format) \(constant)") { isTrue($0.area, value) }
  }

  private static func calculation(_ reader: inout Reader) -> RandomPredicate {
    let left = calculated(reader.next(of: paths), &reader)
    let (format, isTrue): Comparison<Int> = compare(&reader)
    if reader.next(below: 3) == 0 {
      let right = calculated(reader.next(of: paths), &reader)
      return Self("\(left.format) \(format) \(right.format)") {
        isTrue(left.value($0), right.value($0))
      }
    }
    let constant = number(&reader)
    return Self("\(left.format) \(format) \(constant.format)") {
      isTrue(left.value($0), constant.value)
    }
  }

  /// A path with another path or a constant; quotients of integers are integers, and one by zero
  /// has no value.
  private static func calculated(_ path: Number, _ reader: inout Reader) -> Number {
    let other: Number
    if reader.next(below: 2) == 0 {
      other = reader.next(of: paths)
    } else {
      let constant = number(&reader)
      other = ("(\(constant.format))", { _ in constant.value })
    }
    let operators: [(format: String, result: (Int, Int) -> Int?)] = [
      ("+", { $0 + $1 }), ("-", { $0 - $1 }), ("*", { $0 * $1 }),
      ("/", { $1 == 0 ? nil : $0 / $1 }),
    ]
    let chosen = reader.next(of: operators)
    return (
      "(\(path.format) \(chosen.format) \(other.format))",
      { town in
        guard let left = path.value(town), let right = other.value(town) else { return nil }
        return chosen.result(left, right)
      }
    )
  }

  // MARK: - Missing values

  private static func missing(_ reader: inout Reader) -> RandomPredicate {
    let values: [(format: String, isMissing: (TownFact) -> Bool)] = [
      ("motto", { $0.motto == nil }), ("height", { $0.height == nil }),
      ("(height + rank)", { $0.height == nil }), ("name", { _ in false }),
      ("region", { _ in false }), ("region.name", { _ in false }),
      ("map", { !$0.code.isMultiple(of: 20) }),
    ]
    let value = reader.next(of: values)
    let isEqual = reader.next(below: 2) == 0
    let constant = reader.constant(nil, "nil")
    return Self("\(value.format) \(isEqual ? "==" : "!=") \(constant)") {
      value.isMissing($0) == isEqual
    }
  }

  // MARK: - Texts

  /// Beginnings, middles and ends of names, one of them in a form that is equal to another.
  private static let texts = [
    "town", "town 1", "Tówn", "To\u{301}wn 6", "TOWN", "n 5", "7", "region 1", "region", "T", "zz",
  ]

  private typealias Text = (format: String, value: (TownFact) -> String?)

  private static var textPaths: [Text] {
    [("name", { $0.name }), ("region.name", { $0.regionName }), ("motto", { $0.motto })]
  }

  private static func text(_ reader: inout Reader) -> RandomPredicate {
    let path = reader.next(of: textPaths)
    let text = reader.next(of: texts)
    func both(_ isTrue: @escaping (String, String) -> Bool) -> (String?, String) -> Bool {
      { left, right in left.map { isTrue($0, right) } ?? false }
    }
    let operators: [(format: String, isTrue: (String?, String) -> Bool)] = [
      ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", both(<)), (">=", both(>=)),
      ("BEGINSWITH", both { $0.hasPrefix($1) }), ("ENDSWITH", both { $0.hasSuffix($1) }),
      ("CONTAINS", both { $0.contains($1) }),
      ("==[c]", both { $0.lowercased() == $1.lowercased() }),
      ("BEGINSWITH[c]", both { $0.lowercased().hasPrefix($1.lowercased()) }),
    ]
    let chosen = reader.next(of: operators)
    let constant = reader.constant(text, "'\(text)'")
    return Self("\(path.format) \(chosen.format) \(constant)") {
      chosen.isTrue(path.value($0), text)
    }
  }

  /// `MATCHES` of whole texts, by patterns whose meaning Swift can say.
  private static func match(_ reader: inout Reader) -> RandomPredicate {
    let path = reader.next(of: textPaths)
    let digit = "\(reader.next(below: 7))"
    let patterns: [(pattern: String, isTrue: (String) -> Bool)] = [
      (".*", { _ in true }), ("(town|motto) [0-9]", { isNumbered($0, 1...1) }),
      ("[mt]o.{2,3} \\\\d+", { isNumbered($0, 1...2) }),
      (".*" + digit, { $0.hasSuffix(digit) }), ("[^" + digit + "]*", { !$0.contains(digit) }),
      ("T\u{F3}wn .+", { $0.hasPrefix("Tówn ") }), ("(.*)n(.*)", { $0.contains("n") }),
      ("region [" + digit + "-9]", { $0.hasPrefix("region ") && $0.suffix(1) >= digit }),
    ]
    let chosen = reader.next(of: patterns)
    return Self("\(path.format) MATCHES '\(chosen.pattern)'") {
      path.value($0).map(chosen.isTrue) ?? false
    }
  }

  /// Whether a text is `town` or `motto`, a space, and so many digits.
  private static func isNumbered(_ text: String, _ digitCount: ClosedRange<Int>) -> Bool {
    ["town ", "motto "].contains { word in
      text.hasPrefix(word) && digitCount.contains(text.count - word.count)
    }
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
