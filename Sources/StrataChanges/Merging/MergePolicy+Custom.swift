// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataRecord

extension MergePolicy {
  /// A custom policy's decision on one conflict.
  public enum Decision: Sendable {
    /// The save fails with `StoreError.conflicts`; this conflict is among them.
    case fail
    /// The object stays as the store has it: deleted, if it was deleted there.
    case keepTheirs
    /// The object gets the save's whole state: it is deleted, if the save deletes it.
    case takeOurs
    /// The object is deleted.
    case delete
    /// The named attributes and to-one relationships get these values; `.null` clears one. The
    /// others, and whether the object is there at all, are as `others` decides. To one end of a
    /// one-to-one relationship only our value or theirs can be given, for nothing sets the other
    /// end.
    case values([String: PropertyValue], others: MergePolicy = .mergeByPropertyObjectTrump)
    /// The decision of another policy.
    case apply(MergePolicy)
  }

  /// A custom merge policy. Core Data: a subclass of `NSMergePolicy`; it returns `.apply` where a
  /// Core Data policy calls `super`.
  ///
  /// ```swift
  /// context.mergePolicy = .custom("counts add up") { conflict in
  ///   guard case .int(let base)? = conflict.baseValues?["visits"],
  ///     case .int(let ours)? = conflict.ourValues?["visits"],
  ///     case .int(let theirs)? = conflict.theirValues?["visits"]
  ///   else { return .apply(.mergeByPropertyStoreTrump) }
  ///   return .values(["visits": .int(ours + theirs - base)])
  /// }
  /// ```
  ///
  /// It is also asked about an object that the save deletes and another save has linked to: ours is
  /// nil then, and theirs is the stored state. A link to an object that another save has deleted is
  /// dropped without asking.
  ///
  /// And it is asked about an object that survives a new one with the same unique value: ours are
  /// the new object's values then, theirs the survivor's, and there is no base. `.keepTheirs` and
  /// `.takeOurs` decide the values; the survivor keeps its ID.
  ///
  /// A property that does not exist, or a value that does not fit its property, fails the save with
  /// `StoreError.mergePolicyMistakes`, and nothing is written. Two custom policies are equal if
  /// they are copies of one.
  ///
  /// - Important: `decide` runs on the store's writer, inside the transaction, once for each object
  ///   in conflict. It must be pure and short: all other savers wait for it, and it must not wait
  ///   for a context or a save, which may wait for the writer. It may be called again for the same
  ///   conflict.
  /// - Parameter name: a name for descriptions and errors.
  public static func custom(
    _ name: String, resolve decide: @escaping @Sendable (MergePolicy.Conflict) -> Decision
  ) -> MergePolicy {
    MergePolicy(rule: .custom(CustomRule(name: name, decide: decide)))
  }
}

/// A custom rule, and the evaluation of its decisions.
///
/// ## Isolation
/// Sendable: constant.
final class CustomRule: Sendable {
  let name: String
  private let decide: @Sendable (MergePolicy.Conflict) -> MergePolicy.Decision

  /// The limit that detects rules that refer to each other without end.
  private static let depthMax = 16

  init(name: String, decide: @escaping @Sendable (MergePolicy.Conflict) -> MergePolicy.Decision) {
    self.name = name
    self.decide = decide
  }

  func resolve(
    _ conflict: MergePolicy.Conflict, layout: RecordLayout, depth: Int
  ) -> MergePolicy.Resolution {
    guard depth < Self.depthMax else { return .mistaken([mistake(.endless, conflict)]) }
    switch decide(conflict) {
    case .fail: return .fail
    case .keepTheirs: return .keepTheirs
    case .takeOurs: return MergePolicy.overwrite.resolve(conflict, layout: layout)
    case .delete: return .delete
    case .apply(let policy):
      return policy.resolve(conflict, layout: layout, depth: depth + 1)
    case .values(let values, let others):
      let rest = others.resolve(conflict, layout: layout, depth: depth + 1)
      switch rest {
      case .fail, .delete, .mistaken: return rest
      case .write(let record, _): return set(values, of: record, conflict, layout)
      case .keepTheirs:
        var arena = RecordArena()
        let theirs = conflict.theirsMerged(layout, into: &arena) ?? conflict.theirs
        return theirs.map { set(values, of: $0, conflict, layout) } ?? rest
      }
    }
  }

  private func set(
    _ values: [String: PropertyValue], of record: Record, _ conflict: MergePolicy.Conflict,
    _ layout: RecordLayout
  ) -> MergePolicy.Resolution {
    layout.withDraft(of: record, external: conflict.external) { draft in
      var mistakes: [MergePolicy.Mistake] = []
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        switch slot(named: name, for: value, conflict, layout) {
        case .success(let slot):
          // Bytes are taken that the record has the stamp of, too: the store may not have them any
          // more.
          if layout.externalSlots.contains(slot) { draft.setExternal(nil, at: slot) }
          draft.setValue(value, at: slot)
        case .failure(let mistake): mistakes.append(mistake)
        }
      }
      for slot in (draft.refused ?? [:]).keys.sorted() {
        let name = conflict.entitySchema?.description.properties[slot].name ?? ""
        mistakes.append(mistake(.unfitValue(property: name), conflict))
      }
      guard mistakes.isEmpty else { return .mistaken(mistakes) }
      if draft.changed.isEmpty { return .write(record, external: draft.external) }
      var arena = RecordArena()
      return .write(draft.encode(into: &arena), external: draft.external)
    }
  }

  private func slot(
    named name: String, for value: PropertyValue, _ conflict: MergePolicy.Conflict,
    _ layout: RecordLayout
  ) -> Result<Int, MergePolicy.Mistake> {
    func refused(_ cause: MergePolicy.Mistake.Cause) -> Result<Int, MergePolicy.Mistake> {
      .failure(mistake(cause, conflict))
    }
    guard let entity = conflict.entitySchema, let slot = entity.description.slot(named: name) else {
      return refused(.unknownProperty(property: name))
    }
    guard let relationship = entity.relationships[slot] else {
      let holds = layout.places[slot].code.kind?.holds(value) ?? false
      // A value that one side has may be one that the type had in a former version of the program.
      let type = entity.declaredType(of: slot)
      let fits =
        value == .null || type.map { $0.value(of: value) != nil } ?? true
        || value == conflict.ourValues?[name] || value == conflict.theirValues?[name]
      return holds && fits ? .success(slot) : refused(.unfitValue(property: name))
    }
    if relationship.isToMany { return refused(.toManyRelationship(property: name)) }
    if value != .null {
      guard case .object(let id) = value, conflict.schema.store.has(id),
        conflict.schema.entity(relationship.destination)?.family.contains(id.key.entity) == true
      else { return refused(.unfitValue(property: name)) }
    }
    if relationship.inverse?.kind == .toOne, value != conflict.ourValues?[name],
      value != conflict.theirValues?[name]
    {
      return refused(.oneToOneRelationship(property: name))
    }
    return .success(slot)
  }

  private func mistake(
    _ cause: MergePolicy.Mistake.Cause, _ conflict: MergePolicy.Conflict
  ) -> MergePolicy.Mistake {
    MergePolicy.Mistake(objectID: conflict.objectID, policy: name, cause: cause)
  }
}

extension CustomRule: Hashable {
  static func == (left: CustomRule, right: CustomRule) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
