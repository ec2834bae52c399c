// SPDX-License-Identifier: Apache-2.0
import StrataChanges

// Pinning a context to one state beneath it.

extension ManagedObjectContext {
  /// The state that the context is pinned to; nil if it is not pinned.
  /// Core Data: `queryGenerationToken`.
  public var queryGenerationToken: QueryGenerationToken? {
    guard reader.isPinned else { return nil }
    try? reader.requirePin()
    return layer.current.pin.map { QueryGenerationToken(pin: $0) }
  }

  /// Pins the context to one state beneath it, its ancestors' published changes and the store: from
  /// now on it reads that state, in this turn and in later ones, whatever others save. Its own
  /// unsaved changes, and its children's saves, are on top as always. Its children read through the
  /// pin. Core Data: `setQueryGenerationFrom(_:)`.
  ///
  /// A save of changes moves the pin to the state with the save in it. Nothing else moves it,
  /// neither `rollback` nor `reset`; set `.current` again to move on. Objects whose values are
  /// loaded keep them, as always, until they are refreshed. An object that is read through the pin
  /// and changed here is a conflict at the store if another save has changed it since.
  ///
  /// A pinned context reads its parent's published changes even if it runs inside the parent's
  /// turn.
  ///
  /// A pin prevents the store from reusing old pages, so the file grows while others save: release
  /// it, and its tokens, when it is no longer needed. A snapshot that several contexts read through
  /// a pin is used by one of them at a time, look-up by look-up; contexts without a pin in their
  /// chain pay nothing for that.
  ///
  /// - Parameter token: `.current` for the newest state, a token of another context with the same
  ///   parent for its state, nil to read the newest state at each turn again.
  /// - Throws: `ContextError.foreignQueryGeneration` for a token of a context with another parent
  ///   or another store; `StoreError` if the store cannot make a snapshot. The context is then
  ///   unchanged.
  public func setQueryGeneration(from token: QueryGenerationToken?) throws {
    if let pin = token?.pin {
      guard pin.isBeneath(layer) else { throw ContextError.foreignQueryGeneration }
      layer.setPin(pin)
    } else if token != nil {
      reader.ancestorInThisIsolation?.publisher.publishForChild()
      try reader.takePin()
    } else {
      layer.setPin(nil)
    }
    reader.isPinned = token != nil
    reader.isBehind = true
    merger.trigger?.fire()
    work.view = nil
  }
}
