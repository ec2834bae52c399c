// SPDX-License-Identifier: Apache-2.0
import Strata

/// The changes of one object's attributes that a form asks for.
///
/// | field | content |
/// | --- | --- |
/// | `set.NAME` | the text of the value |
/// | `null.NAME` | present for no value |
/// | `was.NAME` | the text that the form was made with; missing for no value |
///
/// An attribute is set only if its text was changed. If its value is no longer the one that the
/// form was made with, another program has changed it, and the form is refused: nothing is
/// overwritten unseen.
struct AttributeEdit {
  /// The form as it was sent, to show it again.
  private let form: FormFields

  init(_ form: FormFields) { self.form = form }

  /// The text of an attribute in the form: the form has no field for it, it is to have no value, or
  /// it is to have the value of the text.
  enum Text: Equatable {
    case missing
    case none
    case some(String)
  }

  /// The text that the user has typed.
  func typed(_ name: String) -> Text {
    if form["null." + name] != nil { return .none }
    return form["set." + name].map { .some(TypedText.normalized($0)) } ?? .missing
  }

  /// The text that the form was made with; nil for no value.
  func former(_ name: String) -> String? { form["was." + name].map(TypedText.normalized) }

  /// Sets the changed attributes of the object, which is of `entity`.
  ///
  /// - Returns: the problems by attribute; none if all were set.
  /// - Throws: `StoreError` if reading fails.
  func apply(
    to object: ManagedObject, of entity: EntityDescription
  ) throws -> [String: String] {
    var problems: [String: String] = [:]
    for attribute in entity.properties.compactMap(\.attribute) {
      let name = attribute.name
      let typed = typed(name)
      let former = former(name)
      let isUnchanged =
        switch typed {
        case .missing: true
        case .none: former == nil
        // The program's class has a value of its own for an attribute without one.
        case .some(""): former == "" || former == nil && !attribute.isOptional
        case .some(let text): text == former
        }
      // Without JavaScript, typing a value leaves "no value" checked.
      if typed == .none, former == nil, form["set." + name].map({ !$0.isEmpty }) ?? false {
        problems[name] = "There is a value, and “no value” is checked. Keep one of them."
        continue
      }
      if isUnchanged { continue }
      let present = try object.value(for: name)
      guard former == (present == .null ? nil : TypedText.normalized(present.shownText)) else {
        problems[name] =
          "Another program has changed this value since the form was made. Load the page again."
        continue
      }
      var value = PropertyValue.null
      if case .some(let text) = typed {
        guard let parsed = TypedText.value(of: text, as: attribute.type) else {
          problems[name] = "This must be \(TypedText.expectation(of: attribute.type))."
          continue
        }
        value = parsed
      } else if !attribute.isOptional {
        problems[name] = "This must have a value: the attribute is not optional."
        continue
      }
      do {
        try object.setValue(value, for: name)
      } catch QueryError.unfitAssignment {
        problems[name] = "This must be \(TypedText.expectation(of: attribute.type))."
      } catch let error as QueryError {
        problems[name] = error.description
      }
    }
    return problems
  }

  /// The problems that an error of a save names, by attribute.
  static func problems(in error: any Error, of object: ManagedObject) -> [String: String] {
    var problems: [String: String] = [:]
    switch error {
    case ContextError.validationFailed(let failures):
      for failure in failures where failure.objectID == object.objectID {
        if let property = failure.property { problems[property] = failure.message }
      }
    case StoreError.uniquenessViolations(let violations):
      for violation in violations where violation.objectID == object.objectID {
        for property in violation.properties {
          problems[property] = "\(violation.existing.shownText) has this value already."
        }
      }
    default: break
    }
    return problems
  }
}
