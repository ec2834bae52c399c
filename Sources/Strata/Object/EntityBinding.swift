// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives
package import StrataRecord

/// The shared state of the objects of one entity in one context: the reference to the context, and
/// the description of their records. One pointer in each object leads to all of it.
///
/// ## Lifetime
/// The context owns its bindings, and objects own theirs. When the context is deallocated, it
/// clears `context` for every object that the program still holds.
///
/// ## Isolation
/// The context's.
@usableFromInline
package final class EntityBinding {
  // Not weak: a weak reference would cost every access; the context cuts it in its deinit.
  private var uncountedContext: Uncounted<ManagedObjectContext>?
  package let entity: EntitySchema
  @usableFromInline package let layout: RecordLayout
  /// The life cycle methods that the objects have.
  package let hooks: _LifeCycleHooks
  // Safety: `@exclusivity(unchecked)` spares each getter a run-time check: only the context sets
  // it, in its isolation, and running no code of others meanwhile.
  /// The observers' registrars of the objects; nil in a context that does not track observation.
  @exclusivity(unchecked)
  @usableFromInline var observed: ObservedObjects?
  // Safety: as `observed`.
  /// Whether an object has ever been given a value that cannot be stored (`ValueRefusal`). Then a
  /// setter that finds its value unchanged looks for a refusal to forget.
  @exclusivity(unchecked)
  @usableFromInline var hasRefusedValues = false
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
      require(
        draft.refused == nil,
        "The defaults of \(entity.description.name) are too large: make them optional, or smaller.")
      var arena = RecordArena()
      return (draft.encode(into: &arena), draft.external, draft.changed)
    }
  }

  /// The context, or nil if it is gone.
  package var context: ManagedObjectContext? { uncountedContext?.counted }

  /// Whether the context is there.
  package var hasContext: Bool { uncountedContext != nil }

  /// The result of `body` in the context; nil if the context is deallocated.
  ///
  /// - Important: The context is not retained during the call: `body` runs no code of the program.
  @inline(__always)
  func find<Found>(_ body: (ManagedObjectContext) -> Found?) -> Found? {
    uncountedContext?.with(body)
  }

  /// How many bytes of variable values the last new objects were given, so that the next one's
  /// draft has room for as many from the start.
  private(set) var heapByteCountOfNew = Draft.heapByteCountUsual

  /// Notes the values of a new object.
  func noteNew(_ draft: Draft) {
    if draft.heapByteCount > heapByteCountOfNew {
      heapByteCountOfNew = min(draft.heapByteCount, Self.heapByteCountOfNewMax)
    }
  }

  /// Longer values spill into a separate allocation.
  private static var heapByteCountOfNewMax: Int { 1_024 }

  /// Cuts the way to a context that is going.
  package func detach() { uncountedContext = nil }
}

/// The argument from which an instance is made. Strata makes initializers; a class that overrides
/// `init(_:)` passes its initializer on.
public struct _ObjectInitializer {
  package let binding: EntityBinding
  package let key: ObjectKey
  package var status = ManagedObject.Status.clean
}
