// SPDX-License-Identifier: Apache-2.0
import StrataModel

extension MergePolicy.Conflict {
  /// The entity, the object and the properties that both sides changed, in a sentence without the
  /// values: "The City x-strata://…: this save sets name, and another save has set name and
  /// population."
  public var description: String { "The \(entity) \(objectID): \(ourPart), and \(theirPart)." }

  /// The object and the names of the changed properties, without the values.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "entity": entity, "objectID": objectID, "ourChanges": ourChanges.sorted(),
        "theirChanges": theirChanges.sorted(),
      ])
  }

  private var ourPart: String {
    if ours == nil { return "this save deletes it" }
    if isReadOnly { return "this save needs it unchanged" }
    return base == nil ? "this save inserts it" : "this save sets \(Self.list(ourChanges))"
  }

  private var theirPart: String {
    if theirs == nil { return "another save has deleted it" }
    return theirChanges.isEmpty
      ? "another save has changed it" : "another save has set \(Self.list(theirChanges))"
  }

  private static func list(_ names: Set<String>) -> String {
    names.sorted().joined(separator: " and ")
  }
}
