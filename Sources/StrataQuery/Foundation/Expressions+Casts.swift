// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

// `$0 is Employee`, `($0 as? Employee)?.salary`.

extension PredicateExpressions.TypeCheck {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    let type = try EntityClass(Desired.self)
    return .predicate(KindNode(object: try translator.operand(input), type: type))
  }
}

extension PredicateExpressions.ConditionalCast {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.meaning(of: input).cast(to: EntityClass(Desired.self))
  }
}

/// Foundation's evaluation fails for objects of other entities. Here the value is nil.
extension PredicateExpressions.ForceCast {
  func meaning(_ translator: ExpressionTranslator) throws(QueryError) -> ExpressionMeaning {
    try translator.meaning(of: input).cast(to: EntityClass(Desired.self))
  }
}

extension ExpressionMeaning {
  /// Returns the path, guarded by a test that the object is of `type`.
  fileprivate func cast(to type: EntityClass) throws(QueryError) -> ExpressionMeaning {
    guard case .path(let path, let guards) = self else {
      throw .unsupportedExpression("a cast of something else than an object")
    }
    let isOfType = KindNode(object: try operand(), type: type)
    return .path(path.appending(.cast(to: type)), guards: guards + [isOfType])
  }
}

extension EntityClass {
  /// - Throws: `QueryError.unsupportedExpression` if `type` is not a class.
  fileprivate init(_ type: Any.Type) throws(QueryError) {
    guard let type = type as? AnyClass else {
      throw .unsupportedExpression("a cast to \(type), which is not an entity")
    }
    self.init(type)
  }
}
