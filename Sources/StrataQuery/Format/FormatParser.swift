// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// Parses a format string into a predicate, in Core Data's grammar.
///
/// The precedences are `OR`, `AND`, `NOT`, operators, `+ -`, `* /`, `**`, signs. A bracket may
/// contain a condition or a value, and only the tokens inside decide which. One function parses
/// both, and its callers check the result. Each token is read once.
///
/// ## Invariants
/// - I1 A tree has at most `depthMax` levels of nesting and `operatorsMax` operators within one
///   value, and a path at most 64 names (`PathReference`). Neither parsing nor resolving exhausts
///   the stack. Chains of `AND` and `OR` are flat and may have any length.
struct FormatParser {
  /// A parsed condition or value.
  enum Phrase {
    case condition(any PredicateNode)
    case operand(any OperandNode)
  }

  static let depthMax = 64
  static let operatorsMax = 128

  private let lexer: FormatLexer
  private let tokens: [FormatToken]
  private var index = 0
  let arguments: [Any?]
  /// The index of the argument for the next placeholder.
  var argumentIndex = 0
  private var depth = 0
  /// The number of operators in the value that is being parsed. Each may be a level of its tree.
  private var operatorCount = 0
  /// The variables of the surrounding subqueries, the innermost last.
  private var scopes: [(name: String, scope: Scope)] = []

  init(_ format: String, arguments: [Any?]) throws(PredicateFormatError) {
    var lexer = FormatLexer(format)
    tokens = try lexer.tokens()
    self.lexer = lexer
    self.arguments = arguments
  }

  /// Parses the whole string as a condition.
  mutating func parse() throws(PredicateFormatError) -> any PredicateNode {
    let predicate = try condition()
    try requireEnd()
    return predicate
  }

  /// Parses the whole string as a value.
  mutating func parseValue() throws(PredicateFormatError) -> any OperandNode {
    let value = try value()
    try requireEnd()
    return value
  }

  private func requireEnd() throws(PredicateFormatError) {
    guard token.kind == .end else { throw unexpected("an operator or the end") }
    guard argumentIndex == arguments.count else {
      throw error(
        found: "\(argumentIndex) placeholders for \(arguments.count) arguments",
        expected: "a placeholder for each argument")
    }
  }

  // MARK: - Tokens

  var token: FormatToken { tokens[index] }

  /// The kind of the token after the current one.
  var following: FormatToken.Kind { tokens[min(index + 1, tokens.count - 1)].kind }

  mutating func advance() { index = min(index + 1, tokens.count - 1) }

  /// Consumes the current token if it is one of `signs`.
  mutating func takes(_ signs: String...) -> Bool {
    guard case .sign(let sign) = token.kind, signs.contains(sign) else { return false }
    advance()
    return true
  }

  /// Consumes the current token if it is the keyword, in any case.
  mutating func takes(word: String) -> Bool {
    guard case .word(let text) = token.kind, text.uppercased() == word else { return false }
    advance()
    return true
  }

  mutating func expect(_ sign: String) throws(PredicateFormatError) {
    guard takes(sign) else { throw unexpected("“\(sign)”") }
  }

  func unexpected(_ expected: String) -> PredicateFormatError {
    error(found: token.found, expected: expected)
  }

  func error(
    at start: Int? = nil, found: String, expected: String
  ) -> PredicateFormatError {
    lexer.error(at: start ?? token.start, found: found, expected: expected)
  }

  /// Begins a nested part (I1).
  mutating func enter() throws(PredicateFormatError) {
    guard depth < Self.depthMax else {
      throw error(found: token.found, expected: "at most \(Self.depthMax) levels of nesting")
    }
    depth += 1
  }

  /// Ends the part that `enter` began.
  mutating func leave() { depth -= 1 }

  /// Consumes the operator of a calculation, which may be a level of the tree (I1).
  mutating func takeOperator() throws(PredicateFormatError) {
    guard operatorCount < Self.operatorsMax else {
      throw unexpected("at most \(Self.operatorsMax) operators in a calculation")
    }
    operatorCount += 1
    advance()
  }

  // MARK: - Scopes

  /// Parses the condition of a subquery, in which `name` is an element.
  mutating func condition(
    about name: String, in scope: Scope
  ) throws(PredicateFormatError) -> any PredicateNode {
    scopes.append((name, scope))
    defer { scopes.removeLast() }
    return try condition()
  }

  /// Returns the scope in which `name` is the element; nil if `name` is a variable to be replaced
  /// later.
  func scope(named name: String) -> Scope? { scopes.last { $0.name == name }?.scope }

  // MARK: - Conditions

  mutating func condition() throws(PredicateFormatError) -> any PredicateNode {
    // A value is not a condition: the error then names the missing operator.
    let phrase = try phrase()
    return try required(phrase)
  }

  /// Parses a condition or a value, as many tokens as belong to it.
  mutating func phrase() throws(PredicateFormatError) -> Phrase {
    try enter()
    defer { leave() }
    let first = try conjunction()
    guard case .condition(let node) = first else { return first }
    var operands = [node]
    while takes("||") || takes(word: "OR") {
      let next = try conjunction()
      operands.append(try required(next))
    }
    return .condition(operands.count == 1 ? node : Disjunction(operands))
  }

  private mutating func conjunction() throws(PredicateFormatError) -> Phrase {
    let first = try negation()
    guard case .condition(let node) = first else { return first }
    var operands = [node]
    while takes("&&") || takes(word: "AND") {
      let next = try negation()
      operands.append(try required(next))
    }
    return .condition(operands.count == 1 ? node : Conjunction(operands))
  }

  /// Requires that a phrase is a condition.
  private func required(_ phrase: Phrase) throws(PredicateFormatError) -> any PredicateNode {
    guard case .condition(let node) = phrase else { throw unexpected("an operator") }
    return node
  }

  private mutating func negation() throws(PredicateFormatError) -> Phrase {
    guard takes("!") || takes(word: "NOT") else { return try comparison() }
    try enter()
    defer { leave() }
    let operand = try negation()
    return .condition(Negation(try required(operand)))
  }

  // MARK: - Operators

  private mutating func comparison() throws(PredicateFormatError) -> Phrase {
    if takes(word: "TRUEPREDICATE") { return .condition(Verdict(isTrue: true)) }
    if takes(word: "FALSEPREDICATE") { return .condition(Verdict(isTrue: false)) }
    // Operators inside of a condition do not count for a calculation around the condition.
    let operatorCount = operatorCount
    if let quantifier = takesQuantifier() {
      let left = try value()
      guard let operation = try operation(on: left) else { throw unexpected("an operator") }
      self.operatorCount = operatorCount
      return .condition(QuantifiedOperator(quantifier, operation))
    }
    let left = try calculation()
    guard case .operand(let operand) = left else { return left }
    guard let operation = try operation(on: operand) else { return left }
    self.operatorCount = operatorCount
    return .condition(operation)
  }

  private mutating func takesQuantifier() -> Quantification.Quantifier? {
    if takes(word: "ANY") || takes(word: "SOME") { return .any }
    if takes(word: "ALL") { return .all }
    return takes(word: "NONE") ? Quantification.Quantifier.none : nil
  }

  /// Parses an operator and its right side; returns nil if the current token is not an operator.
  private mutating func operation(
    on left: any OperandNode
  ) throws(PredicateFormatError) -> (any OperatorNode)? {
    let name: String
    switch token.kind {
    case .sign(let sign): name = sign
    case .word(let word): name = word.uppercased()
    default: return nil
    }
    let make: (any OperandNode, any OperandNode, TextOptions) -> any OperatorNode
    switch name {
    case "=", "==": make = { Comparison($0, .equal, $1, $2) }
    case "<": make = { Comparison($0, .less, $1, $2) }
    case "<=", "=<": make = { Comparison($0, .lessOrEqual, $1, $2) }
    case ">": make = { Comparison($0, .greater, $1, $2) }
    case ">=", "=>": make = { Comparison($0, .greaterOrEqual, $1, $2) }
    case "!=", "<>": make = { Inequality(left: $0, right: $1, options: $2) }
    case "IN": make = { Membership(left: $0, right: $1, options: $2) }
    case "CONTAINS": make = { TextMatch($0, .infix, $1, $2) }
    case "BEGINSWITH": make = { TextMatch($0, .prefix, $1, $2) }
    case "ENDSWITH": make = { TextMatch($0, .suffix, $1, $2) }
    case "LIKE": make = { WildcardMatch(left: $0, pattern: $1, options: $2) }
    case "MATCHES": make = { RegularExpressionMatch(left: $0, pattern: $1, options: $2) }
    case "CONTAINSWORDS":
      advance()
      return WordMatch(left, try value())
    case "BETWEEN":
      advance()
      return Between(left, try bounds())
    default: return nil
    }
    advance()
    let options = try options()
    return make(left, try value(), options)
  }

  /// Parses the right side of `BETWEEN`: a list of two values, or a variable.
  private mutating func bounds() throws(PredicateFormatError) -> any OperandNode {
    let start = token
    let bounds = try value()
    if bounds is VariableNode { return bounds }
    guard let list = bounds as? ListNode, list.elements.count == 2 else {
      throw error(at: start.start, found: start.found, expected: "a list of two bounds")
    }
    return bounds
  }

  /// Parses `[c]`, `[d]` or `[cd]` after an operator.
  private mutating func options() throws(PredicateFormatError) -> TextOptions {
    guard takes("[") else { return [] }
    var options: TextOptions = []
    guard case .word(let letters) = token.kind else { throw unexpected("c, d or cd") }
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      default: throw unexpected("c, d or cd")
      }
    }
    advance()
    try expect("]")
    return options
  }
}
