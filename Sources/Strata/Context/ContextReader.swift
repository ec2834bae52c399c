// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The reading of one context: the view of each turn, the positions in the feeds, and the pin.
///
/// ## Invariants
/// - I1 A context that is pinned reads the state of its layer's pin.
/// - I2 `following` is at the state of the last view.
///
/// ## Isolation
/// The context's.
package final class ContextReader {
  let schema: Schema
  let layer: ContextLayer
  let coordinator: PersistentStoreCoordinator
  /// The context that this one was made from in the same isolation: to use this one ends its turn.
  // Safety: the context keeps its parent, and owns this part.
  unowned(unsafe) let sameIsolationParent: ManagedObjectContext?
  let registry: ObjectRegistry
  let reporter: TurnReporter
  let work: UnitOfWork
  // The parts above, which a new view calls: children's saves are integrated, and others' changes
  // are merged. The context owns them as it owns this part.
  unowned(unsafe) var publisher: TurnPublisher!
  unowned(unsafe) var merger: ContextMerger!

  /// The feed positions of the context's views. They begin with the context: objects that are
  /// inserted and saved before the first view may be changed by others before it, too.
  var following: Following
  /// The state beneath the context, as the last view copied it.
  private var beneath: KeptBeneath
  /// Whether one state beneath the context is read until the next save, as
  /// `setQueryGeneration(from:)` says.
  var isPinned = false
  /// The next view is of another state than the feeds tell of: a pin was set, moved or taken away.
  var isBehind = false

  package init(
    _ work: UnitOfWork, layer: ContextLayer, coordinator: PersistentStoreCoordinator,
    sameIsolationParent: ManagedObjectContext?
  ) {
    schema = work.schema
    registry = work.registry
    reporter = work.reporter
    self.work = work
    self.layer = layer
    self.coordinator = coordinator
    self.sameIsolationParent = sameIsolationParent
    following = Following(layer: layer)
    beneath = KeptBeneath(layer)
  }

  package func connect(_ publisher: TurnPublisher, _ merger: ContextMerger) {
    self.publisher = publisher
    self.merger = merger
  }

  // MARK: - The view

  /// The view that this turn reads; taken at the first read, after children's saves that waited
  /// are integrated.
  package func currentView() throws -> ReadView {
    if let view = work.view { return view }
    if work.edits.isEmpty, work.isPublished {
      reporter.integrated += publisher.publishAndIntegrate()
    }
    merger.trigger?.reset()
    let taken = try takeView()
    work.view = taken
    reporter.noteTouched()
    follow(taken)
    return taken
  }

  /// The view of this turn with everything done so far encoded into it.
  func currentViewIncludingEdits() throws -> ReadView {
    let view = try currentView()
    if !work.edits.isEmpty { work.encodeEdits() }
    return view
  }

  /// Where a to-one slot leads beneath this context; nil also if that cannot be read.
  func targetBeneath(_ object: ManagedObject, at slot: Int) -> ObjectKey? {
    reporter.attempt(orElse: nil) {
      try currentView().inheritedBase(of: object.key)?.record
        .toOne(at: slot, layout: object.binding.layout)
    }
  }

  func takeView() throws -> ReadView {
    if isPinned { try requirePin() }
    if !isPinned {
      passSections()
      ancestorInThisIsolation?.publisher.publishForChild()
    }
    let copy = beneath.current()
    let view = try ReadView.take(own: work.working, over: copy, source: coordinator)
    view.mayHavePassedBookmarks = beneath.hasChanged(since: copy, before: view.snapshot)
    return view
  }

  /// Waits until the work that the calling task has done in the sections of ancestors' actors is
  /// published. A root has no ancestors.
  func passSections() {
    if layer.parent != nil { beneath.passSections() }
  }

  /// The parent, if this context runs inside the parent's own isolation at the moment.
  var parentInThisIsolation: ManagedObjectContext? {
    ancestorInThisIsolation.flatMap { $0.layer === layer.parent ? $0 : nil }
  }

  /// The nearest ancestor that runs in this isolation at the moment: the parent, or, inside a turn
  /// of a context farther up, that one.
  var ancestorInThisIsolation: ManagedObjectContext? {
    if let sameIsolationParent { return sameIsolationParent }
    // Nearly always. The search counts references to the ancestors, which all threads share.
    guard ThreadFrames.isInsideOther(than: layer) else { return nil }
    var next = layer.parent
    while let ancestor = next {
      if let context = ThreadFrames.enteredContext(with: ancestor) { return context }
      next = ancestor.parent
    }
    return nil
  }

  /// The ancestors that run in this isolation at the moment, the farthest first.
  var ancestorsInThisIsolation: [ManagedObjectContext] {
    var ancestors: [ManagedObjectContext] = []
    var next = ancestorInThisIsolation
    while let ancestor = next {
      ancestors.append(ancestor)
      next = ancestor.reader.ancestorInThisIsolation
    }
    ancestors.reverse()
    return ancestors
  }

  // MARK: - The pin

  /// A save moves a pinned context on to the state that it has made. If the store cannot give its
  /// snapshot now, the next read asks again.
  func movePin() {
    guard isPinned else { return }
    try? takePin()
    isBehind = true
  }

  /// Makes sure that a pinned context has its pin.
  func requirePin() throws {
    if layer.current.pin == nil { try takePin() }
  }

  func takePin() throws {
    passSections()
    try layer.pin { [name = reporter.name] in SharedSnapshot($0, heldBy: name) }
  }
}
