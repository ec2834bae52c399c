// SPDX-License-Identifier: Apache-2.0
import StrataDump
import StrataModel
package import StrataPrimitives

// MARK: - In words

extension FixtureError {
  package var explanation: ErrorExplanation {
    if case .unknownName(let name)? = mistakes.first {
      return ErrorExplanation(
        "There is no object \(name.safeInTerminal) to look up.",
        because: "The fixture gives this name to no object.",
        remedy: "Give the object this name in the fixture, or correct the name.")
    }
    return ErrorExplanation(
      "The fixture cannot be used.",
      because: "There \(mistakes.count == 1 ? "is" : "are") "
        + "\(ErrorExplanation.count(mistakes.count, "mistake")). "
        + mistakes.map(\.sentence.safeInTerminal).joined(separator: " "),
      remedy: "Correct the fixture.")
  }
}

extension FixtureError.Mistake {
  fileprivate var sentence: String {
    switch self {
    case .notJSON(let offset, let expected): "At byte \(offset) the JSON should have \(expected)."
    case .unfitForm(let part, let expected): "\(part ?? "The whole") should be \(expected)."
    case .repeatedName(let name): "Two objects are called \(name)."
    case .unknownEntity(let name): "The model has no entity \(name) that has objects."
    case .unknownProperty(let object, let property): "\(object) has no property \(property)."
    case .derivedProperty(let object, let property):
      "The property \(property) of \(object) is derived, and cannot be set."
    case .unfitValue(let object, let property, let expected):
      "The property \(property) of \(object) should be \(expected)."
    case .unknownTarget(let object, let property, let target):
      "The property \(property) of \(object) leads to \(target), and no object has this name."
    case .unfitTarget(let object, let property, let target, let expected):
      "The property \(property) of \(object) leads to \(target), which is not of type "
        + "\(expected)."
    case .severalTargets(let object, let property, let targets):
      "The property \(property) of \(object) leads to \(targets.joined(separator: " and to "))."
    case .unknownName(let name): "No object is called \(name)."
    }
  }
}
