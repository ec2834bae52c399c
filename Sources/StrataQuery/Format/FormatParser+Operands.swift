// SPDX-License-Identifier: Apache-2.0
import StrataModel

// The values of a format string: constants, arguments, paths, calculations, subqueries.

extension FormatParser {
  /// Parses a nested value (I1).
  mutating func value() throws(PredicateFormatError) -> any OperandNode {
    try enter()
    defer { leave() }
    let start = token
    let phrase = try calculation()
    return try operand(of: phrase, from: start)
  }

  /// Requires that a phrase is a value.
  private func operand(
    of phrase: Phrase, from start: FormatToken
  ) throws(PredicateFormatError) -> any OperandNode {
    if case .operand(let operand) = phrase { return operand }
    throw error(at: start.start, found: "a condition", expected: "a value")
  }

  // MARK: - Calculations

  /// The operators that are parsed from left to right, with the lowest precedence first.
  private static let precedences: [[String: Number.Operator]] = [
    ["+": .add, "-": .subtract], ["*": .multiply, "/": .divide],
  ]

  /// Parses operands with operators of one precedence or higher ones.
  mutating func calculation(_ level: Int = 0) throws(PredicateFormatError) -> Phrase {
    guard level < Self.precedences.count else { return try power() }
    var left = try calculation(level + 1)
    while case .sign(let sign) = token.kind, let operation = Self.precedences[level][sign] {
      guard case .operand(let node) = left else { throw unexpected("AND, OR or the end") }
      try takeOperator()
      let start = token
      let right = try calculation(level + 1)
      left = .operand(ArithmeticNode(node, operation, try operand(of: right, from: start)))
    }
    return left
  }

  /// Parses `a ** b`, from right to left.
  private mutating func power() throws(PredicateFormatError) -> Phrase {
    let base = try signed()
    guard case .sign("**") = token.kind else { return base }
    guard case .operand(let node) = base else { throw unexpected("AND, OR or the end") }
    try takeOperator()
    try enter()
    defer { leave() }
    let start = token
    let exponent = try power()
    return .operand(ArithmeticNode(node, .power, try operand(of: exponent, from: start)))
  }

  private mutating func signed() throws(PredicateFormatError) -> Phrase {
    let isNegative = takes("-")
    guard isNegative || takes("+") else { return try primary() }
    try enter()
    defer { leave() }
    let start = token
    let phrase = try signed()
    let operand = try operand(of: phrase, from: start)
    if !isNegative { return .operand(operand) }
    // A number with a sign is a constant.
    if let constant = operand.constant, Number(constant.value) != nil {
      return .operand(Constant(Number.calculate(.int(0), .subtract, constant.value)))
    }
    return .operand(ArithmeticNode(Constant(.int(0)), .subtract, operand))
  }

  // MARK: - Primary values

  private mutating func primary() throws(PredicateFormatError) -> Phrase {
    guard takes("(") else { return .operand(try operand()) }
    // A bracket takes twice the stack of other nesting, so it counts twice.
    try enter()
    defer { leave() }
    let phrase = try phrase()
    try expect(")")
    return phrase
  }

  private mutating func operand() throws(PredicateFormatError) -> any OperandNode {
    switch token.kind {
    case .text(let text): return taken(.string(text))
    case .number(let value): return taken(value)
    case .sign("{"): return try list()
    case .variable(let name): return try variable(name)
    case .placeholder("K"): return try path(from: nil)
    case .placeholder(let specifier): return try argument(specifier)
    case .name, .collectionOperator: return try path(from: nil)
    case .word(let word): return try keyword(word.uppercased())
    case .sign, .end: throw unexpected("a value")
    }
  }

  /// Consumes a token that is a constant.
  private mutating func taken(_ value: PropertyValue) -> Constant {
    advance()
    return Constant(value)
  }

  private mutating func keyword(_ word: String) throws(PredicateFormatError) -> any OperandNode {
    switch word {
    case "NIL", "NULL": return taken(.null)
    case "TRUE", "YES": return taken(.bool(true))
    case "FALSE", "NO": return taken(.bool(false))
    case "SELF":
      advance()
      guard takes(".") else { return PathNode(PathReference(steps: [])) }
      return try path(from: nil)
    case "SUBQUERY": return try subquery()
    case _ where Self.reserved.contains(word):
      throw unexpected("a value; a property of that name is written “#…”")
    default: return try path(from: nil)
    }
  }

  /// Words that are property names only after a number sign.
  private static let reserved: Set<String> = [
    "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH",
    "ENDSWITH", "LIKE", "MATCHES", "CONTAINSWORDS", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  private mutating func list() throws(PredicateFormatError) -> any OperandNode {
    try expect("{")
    var elements: [any OperandNode] = []
    if takes("}") { return ListNode([]) }
    repeat { elements.append(try value()) } while takes(",")
    guard takes("}") else { throw unexpected("“,” or “}”") }
    return ListNode(elements)
  }

  /// Parses `$x` of a surrounding subquery, optionally with a path, or a variable to be replaced
  /// later.
  private mutating func variable(
    _ name: String
  ) throws(PredicateFormatError) -> any OperandNode {
    advance()
    guard let scope = scope(named: name) else {
      if case .sign(".") = token.kind {
        throw unexpected("an operator: only a variable of a SUBQUERY has properties")
      }
      return VariableNode(name: name)
    }
    guard takes(".") else { return PathNode(PathReference(scope: scope, steps: [])) }
    return try path(from: scope)
  }

  // MARK: - Paths and collections

  /// Parses names with points between them, optionally with a collection operator:
  /// `cities.@sum.population`.
  private mutating func path(from scope: Scope?) throws(PredicateFormatError) -> any OperandNode {
    let steps = try steps()
    let path = PathReference(scope: scope, steps: steps)
    guard case .collectionOperator = token.kind else { return PathNode(path) }
    return try aggregate(of: CollectionNode(path))
  }

  /// Parses names up to a collection operator, which is then the next token, or to the end of the
  /// path.
  private mutating func steps() throws(PredicateFormatError) -> [PathStep] {
    var steps: [PathStep] = []
    while true {
      switch token.kind {
      case .collectionOperator where !steps.isEmpty: return steps
      case .word(let name), .name(let name):
        advance()
        steps.append(.name(name))
      case .placeholder("K"):
        for name in try keyPathArgument() { steps.append(.name(name)) }
      default: throw unexpected("the name of a property")
      }
      guard steps.count <= PathReference.stepCountMax else {
        throw unexpected("at most \(PathReference.stepCountMax) names in a path")
      }
      guard takes(".") else { return steps }
    }
  }

  /// Parses `@count`, or `@sum`, `@min`, `@max`, `@avg` with the path of the aggregated property.
  private mutating func aggregate(
    of collection: CollectionNode
  ) throws(PredicateFormatError) -> any OperandNode {
    guard case .collectionOperator(let name) = token.kind,
      name == "count" || AggregateNode.Function(rawValue: name) != nil
    else { throw unexpected("“@count”, “@sum”, “@min”, “@max” or “@avg”") }
    advance()
    guard let function = AggregateNode.Function(rawValue: name) else {
      return CountNode(collection)
    }
    try expect(".")
    let scope = Scope()
    let element = PathReference(scope: scope, steps: try steps())
    if case .collectionOperator = token.kind { throw unexpected("the name of a property") }
    return AggregateNode(
      function: function, collection: collection, scope: scope, element: PathNode(element))
  }

  /// Parses `SUBQUERY(cities, $x, $x.population > 5).@count`.
  private mutating func subquery() throws(PredicateFormatError) -> any OperandNode {
    // A property may be named SUBQUERY.
    guard following == .sign("(") else { return try path(from: nil) }
    let collection = try filteredCollection()
    try expect(".")
    return try aggregate(of: collection)
  }

  private mutating func filteredCollection() throws(PredicateFormatError) -> CollectionNode {
    try enter()
    defer { leave() }
    advance()
    try expect("(")
    let start = token
    var collection: CollectionNode
    if case .word(let word) = token.kind, word.uppercased() == "SUBQUERY", following == .sign("(") {
      collection = try filteredCollection()
    } else {
      guard let path = try value() as? PathNode else {
        throw error(at: start.start, found: start.found, expected: "a to-many relationship")
      }
      collection = CollectionNode(path.path)
    }
    try expect(",")
    guard case .variable(let name) = token.kind else { throw unexpected("a variable: “$x”") }
    advance()
    try expect(",")
    let scope = Scope()
    collection = collection.filtered(scope, try condition(about: name, in: scope))
    try expect(")")
    return collection
  }
}
