// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

extension ManagedObjectContext {
  /// Records the changes made in a context, for undo and redo. Foundation: `UndoManager`, with the
  /// same names and meanings where they apply; it belongs to one context and records that context's
  /// changes and nothing else.
  ///
  /// ```swift
  /// context.undoManager = ManagedObjectContext.UndoManager()
  /// ```
  ///
  /// It records the context's edits and the results of children's saves: values, transient ones
  /// too, insertions, deletions with all effects of their delete rules, and links. They are
  /// recorded as differences: undoing sets back the properties that the group changed, and keeps
  /// values that were merged or refreshed since.
  ///
  /// ## Groups
  /// `undo()` reverts a group. With `groupsByTurn` a turn is one; `beginUndoGrouping()` and
  /// `endUndoGrouping()` make custom groups, within the turn's, or, without `groupsByTurn`, instead
  /// of it. A child's save is a group by itself, unless the parent's program has begun a group:
  /// then it is part of that.
  ///
  /// ## Saves
  /// A save ends the turn's group, even if it is refused: the changes of `willSave` are part of the
  /// group. It discards nothing: a saved insertion that is undone is a deletion to be saved, a
  /// saved deletion that is undone an insertion of the same object, with its ID. `rollback()` and
  /// `reset()` discard everything.
  ///
  /// ## Invariants
  /// - I1 Between turns no group is open but those that `beginUndoGrouping()` began.
  ///
  /// ## Isolation
  /// The context's.
  public final class UndoManager {
    /// The state that a `withSavepoint { }` that throws restores.
    struct State {
      var undoGroups = UndoStack()
      var redoGroups = UndoStack()
      /// The group that is being recorded, with all groups within it.
      var open: UndoGroup?
      /// How many groups that `beginUndoGrouping()` began are open.
      var begunCount = 0
      var disabledCount = 0
    }

    private enum Direction { case undo, redo }

    /// An instance that the context has released: if its object comes back, the instance is used
    /// again, provided that the program still holds it.
    private struct Detached {
      weak var object: ManagedObject?
    }

    private(set) weak var context: ManagedObjectContext?
    var state = State()
    private var direction: Direction?
    private var detached: [ObjectKey: Detached] = [:]
    /// At how many entries `detached` is looked through for those that are void.
    private var detachedCountMax = 64

    /// Makes a manager that records nothing before it is a context's `undoManager`.
    public init() {}

    /// Whether the changes of a turn that are in no other group form one; a save ends it. True by
    /// default. If not, changes outside of groups cannot be undone. Foundation: `groupsByEvent`.
    public var groupsByTurn = true

    /// How many groups are kept for undo, and how many for redo; beyond that the oldest goes. 0,
    /// the default, for no limit.
    public var levelsOfUndo = 0 {
      didSet { trim() }
    }
  }
}

@available(*, unavailable, message: "an undo manager stays with its context")
extension ManagedObjectContext.UndoManager: Sendable {}

// MARK: - Groups

extension ManagedObjectContext.UndoManager {
  /// Begins a group: all changes until its end are undone together. Groups nest; the outermost
  /// counts, and with `groupsByTurn` that is the turn's. A group that is open at the end of a turn
  /// continues in the next.
  public func beginUndoGrouping() {
    context?.work.encodeEdits()
    if state.open == nil { state.open = UndoGroup() }
    state.begunCount += 1
  }

  /// Ends the group that was begun last.
  ///
  /// - Precondition: one was begun.
  public func endUndoGrouping() {
    require(
      state.begunCount > 0,
      "endUndoGrouping() ends what beginUndoGrouping() began: call that first.")
    context?.work.encodeEdits()
    state.begunCount -= 1
    if state.begunCount == 0, !groupsByTurn { closeGroup() }
  }

  /// How many groups are open, one within the other; the turn's counts once it has a change.
  public var groupingLevel: Int {
    context?.work.encodeEdits()
    guard let open = state.open else { return 0 }
    // Edits that were taken back are no change of the turn.
    if state.begunCount == 0, open.isEmpty, !open.isUntouched { return 0 }
    return state.begunCount + (groupsByTurn || state.begunCount == 0 ? 1 : 0)
  }

  /// Ends the turn's group.
  func endTurn() {
    if state.begunCount == 0 { closeGroup() }
  }

  /// Ends the open group. A reversal ends its own: a save in a hook does not.
  private func closeGroup() {
    guard direction == nil, let group = state.open else { return }
    state.open = nil
    guard !group.isEmpty else { return }
    state.redoGroups = UndoStack()
    state.undoGroups.append(group)
    trim()
  }

  private func trim() {
    guard levelsOfUndo > 0 else { return }
    state.undoGroups.keepNewest(levelsOfUndo)
    state.redoGroups.keepNewest(levelsOfUndo)
  }
}

// MARK: - Undo and redo

extension ManagedObjectContext.UndoManager {
  /// Whether there is something to undo, including the changes of this turn.
  public var canUndo: Bool { hasOpenChanges || !state.undoGroups.isEmpty }

  /// Whether there is something to redo: something was undone, and nothing done since.
  public var canRedo: Bool { !hasOpenChanges && !state.redoGroups.isEmpty }

  /// Whether the open group, if there is one, has changes.
  private var hasOpenChanges: Bool {
    context?.work.encodeEdits()
    return !(state.open?.isEmpty ?? true)
  }

  /// Whether `undo()` is at work.
  public var isUndoing: Bool { direction == .undo }

  /// Whether `redo()` is at work.
  public var isRedoing: Bool { direction == .redo }

  /// Reverts the last group; ends the turn's group first. Does nothing if there is none.
  ///
  /// It is an edit of this turn: properties that the group changed have their former values, its
  /// new objects are gone, the deleted ones are back with their IDs, values and links, and all of
  /// that is for the next save. An object that then equals its state before all unsaved changes has
  /// none any more. Changes that cannot be reverted, because the object or the target of a link is
  /// gone, are left out.
  ///
  /// If reading fails, nothing is undone, and the next call that can throw throws the error.
  ///
  /// - Precondition: no group that `beginUndoGrouping()` began is open.
  public func undo() { revert(.undo) }

  /// Repeats the changes that the last `undo()` reverted. Does nothing if other changes were made
  /// since.
  ///
  /// - Precondition: no group that `beginUndoGrouping()` began is open.
  public func redo() { revert(.redo) }

  private func revert(_ direction: Direction) {
    guard let context, self.direction == nil else { return }
    context.work.encodeEdits()
    require(
      state.begunCount == 0,
      "End the groups that beginUndoGrouping() began before undo() or redo().")
    closeGroup()
    let (taken, reverse) =
      direction == .undo ? (\State.undoGroups, \State.redoGroups) : (\.redoGroups, \.undoGroups)
    if state[keyPath: taken].isEmpty { return }
    defer { self.direction = nil }
    do {
      try context.withSavepoint {
        // First: hooks may remove all actions. An error brings the group back, with the savepoint.
        guard let group = state[keyPath: taken].popLast() else { return }
        self.direction = direction
        state.open = UndoGroup()
        state.open?.actionName = group.actionName
        try UndoReverter(context.deletion).revert(group)
        let reversal = state.open ?? UndoGroup()
        state.open = nil
        if !reversal.isEmpty { state[keyPath: reverse].append(reversal) }
      }
    } catch {
      context.reporter.note(error)
    }
  }

  /// Forgets everything that could be undone or redone, and allows registration. Groups that are
  /// open stay open, empty.
  public func removeAllActions() {
    context?.work.encodeEdits()
    let begunCount = state.begunCount
    state = State()
    state.begunCount = begunCount
    if begunCount > 0 { state.open = UndoGroup() }
    detached = [:]
  }
}

// MARK: - Recording

extension ManagedObjectContext.UndoManager {
  /// Whether changes are recorded.
  public var isUndoRegistrationEnabled: Bool { state.disabledCount == 0 }

  /// Stops recording later changes. Each call needs one of `enableUndoRegistration()`.
  public func disableUndoRegistration() {
    context?.work.encodeEdits()
    state.disabledCount += 1
  }

  /// Takes back one call of `disableUndoRegistration()`.
  ///
  /// - Precondition: there was one.
  public func enableUndoRegistration() {
    require(
      state.disabledCount > 0,
      "enableUndoRegistration() takes back disableUndoRegistration(): call that first.")
    context?.work.encodeEdits()
    state.disabledCount -= 1
  }

  /// Whether a change that was made now is to be recorded.
  var isRecording: Bool {
    direction != nil
      || (state.disabledCount == 0 && (groupsByTurn || state.open != nil))
  }

  /// Adds to the open group; begins a group if none is open.
  func register(_ changes: UndoGroup, schema: Schema) {
    guard !changes.isUntouched else { return }
    if state.open == nil {
      state.open = changes
    } else {
      state.open?.add(changes, schema: schema)
    }
  }

  /// Adds an integrated save of a child: as a group of its own, unless one is open that was begun.
  /// In the middle of a reversal, the group comes after those that are left to be undone.
  func register(integrating changes: UndoGroup, schema: Schema) {
    if direction != nil {
      if !changes.isEmpty { state.undoGroups.append(changes) }
      return trim()
    }
    endTurn()
    register(changes, schema: schema)
    endTurn()
  }

  /// Whether the integration of a child's save is to be recorded.
  var isRecordingIntegrations: Bool { state.disabledCount == 0 }
}

// MARK: - Names

extension ManagedObjectContext.UndoManager {
  /// Names the group that is being recorded, for a menu: "Rename City". In a turn without changes
  /// it names later ones. An empty name removes the name.
  public func setActionName(_ name: String) {
    context?.work.encodeEdits()
    if state.open == nil, groupsByTurn { state.open = UndoGroup() }
    state.open?.actionName = name
    context?.reporter.noteTouched()
  }

  /// The name of the group that `undo()` would take back; empty if it has none or there is nothing.
  public var undoActionName: String {
    (hasOpenChanges ? state.open : state.undoGroups.last)?.actionName ?? ""
  }

  /// The name of the group that `redo()` would do again; empty if it has none or there is nothing.
  public var redoActionName: String {
    (hasOpenChanges ? nil : state.redoGroups.last)?.actionName ?? ""
  }
}

// MARK: - Instances

extension ManagedObjectContext.UndoManager {
  func attach(to context: ManagedObjectContext) {
    require(
      self.context == nil || self.context === context,
      "An undo manager is of one context: make one for each.")
    self.context = context
  }

  /// Remembers an instance that its context releases, as long as the program holds it.
  func noteDetached(_ object: ManagedObject) {
    if detached.count >= detachedCountMax {
      detached = detached.filter { $0.value.object != nil }
      detachedCountMax = max(64, detached.count * 2)
    }
    detached[object.key] = Detached(object: object)
  }

  /// The instance of an object that comes back, if the program holds it.
  func takeDetached(_ key: ObjectKey) -> ManagedObject? {
    detached.isEmpty ? nil : detached.removeValue(forKey: key)?.object
  }
}
