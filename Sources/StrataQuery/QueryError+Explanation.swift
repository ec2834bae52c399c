// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataPrimitives

// MARK: - In words. No values of the user's objects appear in them.

extension QueryError {
  package var explanation: ErrorExplanation {
    switch self {
    case .unknownProperty(let entity, let keyPath):
      ErrorExplanation(
        "The key path \(keyPath) cannot be used in a request for \(entity).",
        because: "It reads no stored property of \(entity).",
        remedy: "Use a stored property of the fetched class.")
    case .unknownKey(let entity, _):
      ErrorExplanation(
        "The dictionary cannot be inserted as a \(entity).",
        because: "One of its keys is not a property of \(entity).",
        remedy: "Correct or remove the key, which the error's “key” has.")
    case .transientProperty(let entity, let property):
      ErrorExplanation(
        "The attribute \(entity).\(property) cannot be used in a request.",
        because: "It is transient, so the store does not have it.",
        remedy: "Filter or sort the fetched objects instead.")
    case .externalProperty(let entity, let property):
      ErrorExplanation(
        "The attribute \(entity).\(property) cannot be used in a request in this way.",
        because: "It is external: only == nil and != nil apply to it.",
        remedy: "Store the value to search for in another attribute.")
    case .mismatchedType(let entity, let property, let type):
      ErrorExplanation(
        "The attribute \(entity).\(property) cannot be compared with the value.",
        because: "The value does not fit the attribute's type, \(type).",
        remedy: "Compare it with a value of that type, within its range.")
    case .unfitProperty(let entity, let property):
      ErrorExplanation(
        "The property \(entity).\(property) cannot be used in a request in this way.",
        because: "The operator or the sort key does not apply to it.",
        remedy: "Choose an operator or a sort key for the property's type.")
    case .toManyProperty(let entity, let property):
      ErrorExplanation(
        "The relationship \(entity).\(property) cannot be used as one value.",
        because: "It is a to-many relationship.",
        remedy: "Choose members with any, all or none, or use count or an aggregate.")
    case .mismatchedOperands(let left, let right):
      ErrorExplanation(
        "The two sides of an operator do not fit each other.",
        because: "The operator does not apply to \(left) and \(right).",
        remedy: "Use operands of one kind.")
    case .invalidPattern:
      // The reason may repeat the pattern, and a program may take the pattern from its user.
      ErrorExplanation(
        "The pattern cannot be used.",
        because: "It is not a regular expression; the error's reason says more.",
        remedy: "Correct the pattern.")
    case .costlyPattern:
      ErrorExplanation(
        "The pattern has no answer for the text of an object.",
        because: "It takes too many steps or too much memory.",
        remedy: "Avoid repetitions inside of repetitions: write [ab]* for (a|b)*.")
    case .invalidWords(let reason):
      ErrorExplanation(
        "The query for words cannot be used.",
        because: "\(reason.prefix(1).uppercased())\(reason.dropFirst()).",
        remedy: "Write words, beginnings of words with a star, and phrases in quotation marks.")
    case .withoutWordIndex(let entity, let property):
      ErrorExplanation(
        "The relevance of \(entity).\(property) is not known.",
        because: "The attribute has no index of its words.",
        remedy: "Add .fullText to the attribute.")
    case .tooManyLevels(let maximum):
      ErrorExplanation(
        "The predicate or calculation is nested too deeply.",
        because: "It has more than \(maximum) operators inside of operators.",
        remedy: "Join conditions with one operator, or use isIn for one of many values.")
    case .tooManyOperators(let maximum):
      ErrorExplanation(
        "The predicate or calculation is too large.",
        because: "It has more than \(maximum) operators and properties.",
        remedy: "Use isIn for one of many values.")
    case .tooManySteps(let maximum):
      ErrorExplanation(
        "A key path of the request is too long.",
        because: "It has more than \(maximum) steps.",
        remedy: "Fetch the objects in between first.")
    case .unboundVariable(let name):
      ErrorExplanation(
        "The variable \(name) has no value.",
        because: "No substitution gives it one, or it stands outside of the condition that "
          + "declares it.",
        remedy: "Provide a value with withSubstitutionVariables.")
    case .unsupportedValue(let type):
      ErrorExplanation(
        "The value cannot be used in a predicate.",
        because: "No property has values of type \(type).",
        remedy: "Use a value of a type that properties have.")
    case .unsupportedExpression(let part):
      ErrorExplanation(
        "The expression cannot be used in a fetch.",
        because: "A fetch cannot evaluate \(part).",
        remedy: "Filter or sort the fetched objects instead.")
    case .ungroupedProperty(let entity, let property):
      ErrorExplanation(
        "The property \(entity).\(property) cannot be used for a group of rows.",
        because: "It has many values in a group.",
        remedy: "Group by it too, or make it part of an aggregate.")
    case .misplacedAggregate(let aggregate):
      ErrorExplanation(
        "The aggregate \(aggregate) cannot be used here.",
        because: "It is of many rows, and the condition is on one object.",
        remedy: "Filter groups with having.")
    case .unfitGroupKey(let key):
      ErrorExplanation(
        "The rows cannot be grouped by \(key).", because: "It is not a property.",
        remedy: "Group by properties.")
    case .duplicateColumn(let name):
      ErrorExplanation(
        "The rows cannot have two columns called \(name).",
        because: "Columns are told apart by their names.", remedy: "Rename one of them.")
    case .noValue(let column):
      ErrorExplanation(
        "The column \(column) has no value in a row.",
        because: "It is nil there, and its type is not optional.",
        remedy: "Exclude such objects, or make the column optional: PropertyPath<Root, Int?>(…).")
    case .unassignableProperty(let entity, let property):
      ErrorExplanation(
        "The property \(entity).\(property) cannot be set by a batch.",
        because: "A batch sets stored attributes that are not derived, and to-one relationships.",
        remedy: "Leave it out. Set the other end of a to-many relationship.")
    case .unfitAssignment(let entity, let property):
      ErrorExplanation(
        "The property \(entity).\(property) cannot have the value that it is given.",
        because: "The value does not fit its type: it is of another kind, a number beyond its "
          + "range, no case of its enum, nil, too large, or does not encode itself.",
        remedy: "Correct the value, or leave the property out.")
    }
  }
}
