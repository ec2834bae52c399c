// SPDX-License-Identifier: Apache-2.0

/// Keeps a context of the main actor alive, and releases it on the main actor, wherever this object
/// is released.
///
/// A context that is deallocated clears its objects' references to it: on another thread that would
/// race with the main actor, which may be using such an object.
///
/// ## Isolation
/// Sendable: the context is reached only on the main actor.
final class MainContextKeeper: ContextEntrance, @unchecked Sendable {  // Safety: as said above.
  private let unsafeContext: Unmanaged<ManagedObjectContext>

  init(_ context: ManagedObjectContext) { unsafeContext = .passRetained(context) }

  @MainActor var context: ManagedObjectContext { unsafeContext.takeUnretainedValue() }

  @MainActor func enter<T: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> T
  ) async throws -> T {
    // Queues below see the changes of all contexts of the main actor.
    MainTurns.endAll()
    return try body(context)
  }

  deinit {
    // Safety: the one reference that `init` has counted goes, and it is used for nothing else.
    nonisolated(unsafe) let last = unsafeContext
    Task { @MainActor in last.release() }
  }
}
