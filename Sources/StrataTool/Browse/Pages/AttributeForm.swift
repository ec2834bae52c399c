// SPDX-License-Identifier: Apache-2.0
import Strata

/// The fields of an object's form.
struct AttributeForm {
  let object: ManagedObject
  /// A form that was sent and not saved; nil for the values of the object.
  let edit: AttributeEdit?
  let problems: [String: String]

  /// The field of an attribute. A value that a form cannot carry is shown and not edited.
  func field(_ attribute: AttributeDescription) throws -> HTML {
    let name = attribute.name
    let value = attribute.isExternal ? nil : try object.value(for: name)
    let present = value.flatMap { $0 == .null ? nil : $0.shownText }
    guard value != nil, present.map(TypedText.canEdit) ?? true else {
      return """
        <div class="field"><span class="name">\(name)</span>
        <p class="hint">This value cannot be edited here.</p></div>
        """
    }
    let typed = edit.map { $0.typed(name) } ?? .missing
    // A form that is shown again keeps what it was made with: a change is still seen as one.
    let former = typed == .missing ? present : edit?.former(name)
    let text: String? =
      switch typed {
      case .missing: present
      case .none: nil
      case .some(let text): text
      }
    let problem = problems[name]
    let message: HTML =
      problem.map { "<p class=\"error\" id=\"error.\(name)\">\($0)</p>" } ?? ""
    let was: HTML =
      former.map { "<input type=\"hidden\" name=\"was.\(name)\" value=\"\($0)\">" } ?? ""
    let none: HTML =
      attribute.isOptional
      ? """
      <label class="check"><input type="checkbox" name="null.\(name)" value="1"\
      \(text == nil ? " checked" : "")> no value</label>
      """ : ""
    return """
      <div class="field">
      <label class="name" for="set.\(name)">\(name) \
      <small>\(attribute.type.shownName)</small></label>
      \(control(attribute, text ?? "", hasProblem: problem != nil))
      \(none)
      \(was)
      \(message)
      </div>
      """
  }

  private func control(
    _ attribute: AttributeDescription, _ text: String, hasProblem: Bool
  ) -> HTML {
    let name = attribute.name
    let names: HTML = "id=\"set.\(name)\" name=\"set.\(name)\""
    let state: HTML =
      hasProblem ? " aria-invalid=\"true\" aria-describedby=\"error.\(name)\"" : ""
    switch attribute.type {
    case .bool:
      let choices = (text.isEmpty ? [""] : []) + ["true", "false"]
      let options = choices.map { option -> HTML in
        "<option\(option == text ? " selected" : "")>\(option)</option>"
      }
      return "<select \(names)\(state)>\(options.joined())</select>"
    case .string, .codable:
      // The parser drops a line end that follows the tag.
      let lineCount = min(12, text.count(where: { $0 == "\n" }) + 1 + text.utf8.count / 80)
      return """
        <textarea \(names)\(state) rows="\(lineCount)" spellcheck="false">
        \(text)</textarea>
        """
    default:
      return """
        <input type="text" \(names)\(state) value="\(text)" autocomplete="off" spellcheck="false">
        """
    }
  }
}
