// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives
package import StrataRecord

/// What the objects of one entity in one context have in common: the way to the context, and how
/// their records are read. One pointer in each object stands for all of it.
///
/// ## Lifetime
/// The context owns its homes, and objects own theirs; when the context goes, it cuts `context`, and
/// with that the way of every object that somebody still holds.
///
/// ## Isolation
/// The context's.
public final class ObjectHome {
  // Not weak: a weak reference would cost every access; the context cuts it in its deinit.
  private var uncountedContext: Uncounted<ManagedObjectContext>?
  package let entity: EntitySchema
  @usableFromInline package let layout: RecordLayout
  /// The life cycle methods that the objects have.
  package let hooks: LifeCycleHooks
  // Safety: `@exclusivity(unchecked)` spares each getter a run-time check: the context alone sets it,
  // in its isolation, and running no code of others meanwhile.
  /// Who is told when values of the objects change; nil where nobody can ask to be.
  @exclusivity(unchecked)
  @usableFromInline var observed: ObservedObjects?
  package let type: ManagedObject.Type
  /// The values of a new object.
  package let template: Record
  /// The bytes of its external slots.
  package let templateExternal: ExternalValues
  /// The slots in `template` that have a value.
  package let templateSlots: SlotSet
  /// Notes which slots are read, if the objects here are probes for key paths.
  package let recorder: SlotRecorder?

  package init(
    context: ManagedObjectContext?, entity: EntitySchema, type: ManagedObject.Type,
    recorder: SlotRecorder? = nil
  ) {
    uncountedContext = context.map(Uncounted.init)
    self.entity = entity
    layout = entity.layout
    hooks = entity.description.hooks
    self.type = type
    self.recorder = recorder
    (template, templateExternal, templateSlots) = layout.withDraft(of: nil) { draft in
      for (slot, property) in entity.description.properties.enumerated() {
        guard let attribute = property.attribute, attribute.defaultValue != .null else { continue }
        draft.setValue(attribute.defaultValue, at: slot)
      }
      var arena = RecordArena()
      return (draft.encode(into: &arena), draft.external, draft.changed)
    }
  }

  /// The context, or nil if it is gone.
  package var context: ManagedObjectContext? { uncountedContext?.counted }

  /// Whether the context is there.
  package var hasContext: Bool { uncountedContext != nil }

  /// What `body` finds in the context; nil if that is gone.
  ///
  /// - Important: the context is not kept alive meanwhile: `body` runs no code of the program.
  @inline(__always)
  func find<Found>(_ body: (ManagedObjectContext) -> Found?) -> Found? {
    uncountedContext?.with(body)
  }

  /// How many bytes of variable values the last new objects were given, so that the next one's draft
  /// has room for as many from the start.
  private(set) var heapByteCountOfNew = Draft.heapByteCountUsual

  /// Notes what a new object was given.
  func noteNew(_ draft: Draft) {
    if draft.heapByteCount > heapByteCountOfNew {
      heapByteCountOfNew = min(draft.heapByteCount, Self.heapByteCountOfNewMax)
    }
  }

  /// Who gets long texts gets them in a buffer of their own.
  private static var heapByteCountOfNewMax: Int { 1_024 }

  /// Cuts the way to a context that is going.
  package func detach() { uncountedContext = nil }
}

/// What an instance is made from. Strata makes seeds; a class that overrides `init(_:)` passes its
/// seed on.
public struct ObjectSeed {
  package let home: ObjectHome
  package let key: ObjectKey
  package var status = ManagedObject.Status.clean
}
