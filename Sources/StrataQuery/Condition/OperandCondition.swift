// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// A test of a value that is not a property: a count, a sum, the least of several texts.
struct OperandCondition<Test: SlotTest>: Condition {
  let operand: any Operand
  let test: Test

  func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    test.isTrue(of: try operand.value(of: row, reader))
  }

  /// The objects that the condition names by ID: `SELF == object`.
  var lead: Lead? {
    guard let identity = operand as? IdentityOperand, identity.depth == 0,
      let test = test as? TargetTest
    else { return nil }
    return .objects(test.keys.sorted())
  }

  var description: String { "\(operand) \(test.name)" }
}

extension Operand {
  /// Returns the condition that this operand satisfies `test`. A property is tested in its slot,
  /// without creating a value.
  func condition(_ test: some SlotTest) -> any Condition {
    guard let property else { return OperandCondition(operand: self, test: test) }
    return SlotCondition(property, test)
  }

  /// - Throws: `unfitProperty` for a property of another kind, else `mismatchedOperands`.
  func requireKind(_ wanted: OperandKind) throws(QueryError) {
    guard let kind = self.kind, kind != wanted else { return }
    if let property { throw property.isUnfit }
    throw .mismatchedOperands(left: "a \(wanted.rawValue)", right: description)
  }

  /// Returns the error that this operand cannot be compared with `other`.
  func mismatch(with other: any Operand) -> QueryError {
    if let property, case SlotKind.attribute(let type) = property.kind {
      return .mismatchedType(entity: property.entityName, property: property.name, type: type)
    }
    return .mismatchedOperands(left: description, right: other.description)
  }
}
