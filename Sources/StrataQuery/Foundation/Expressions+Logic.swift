// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

// `&&`, `||`, `!`, conditionals and optionals.

extension PredicateExpressions.Conjunction {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .predicate(Conjunction(try translator.predicate(lhs), try translator.predicate(rhs)))
  }
}

extension PredicateExpressions.Disjunction {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .predicate(Disjunction(try translator.predicate(lhs), try translator.predicate(rhs)))
  }
}

extension PredicateExpressions.Negation {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    .predicate(Negation.negating(try translator.predicate(wrapped)))
  }
}

extension PredicateExpressions.Conditional {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let test = try translator.predicate(test)
    let yes = try translator.meaning(of: trueBranch)
    let no = try translator.meaning(of: falseBranch)
    guard Output.self == Bool.self else {
      return .operand(ConditionalNode(test: test, yes: try yes.operand(), no: try no.operand()))
    }
    let both = Conjunction(test, try yes.predicate())
    return .predicate(Disjunction(both, Conjunction(Negation(test), try no.predicate())))
  }
}

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let wrapped = try translator.meaning(of: wrapped)
    let inner = translator.binding(variable.key, to: wrapped)
    let result = try inner.meaning(of: transform)
    switch result {
    case .path: return result
    case .predicate(let predicate):
      return .optionalPredicate(predicate, exists: try wrapped.exists())
    case .optionalPredicate(let predicate, let exists):
      return .optionalPredicate(predicate, exists: Conjunction(try wrapped.exists(), exists))
    default:
      return .operand(
        ConditionalNode.guarded(try result.operand(), by: [try wrapped.exists()]))
    }
  }
}

extension PredicateExpressions.NilCoalesce {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let (left, right) = (try translator.meaning(of: lhs), try translator.meaning(of: rhs))
    if case .optionalPredicate(let predicate, let exists) = left {
      let there = Conjunction(exists, predicate)
      let otherwise = try right.predicate()
      if let verdict = otherwise as? Verdict, !verdict.isTrue { return .predicate(there) }
      return .predicate(Disjunction(there, Conjunction(Negation(exists), otherwise)))
    }
    return .operand(CoalescingNode(left: try left.operand(), right: try right.operand()))
  }
}

/// Foundation's evaluation fails for nil. Here the value is nil.
extension PredicateExpressions.ForcedUnwrap {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.meaning(of: inner)
  }
}
