// SPDX-License-Identifier: Apache-2.0
public import Strata
public import StrataChanges

/// A part of a program whose objects `expectChanges` compares: a context, a queue, a container, or
/// the store itself.
///
/// | subject | state that is compared |
/// | --- | --- |
/// | `ManagedObjectContext` | the context's objects, with its unsaved changes |
/// | `ContextQueue`, `ContextLayer` | the same, up to the end of the last turn |
/// | `PersistentContainer` | its root, to which background contexts and the view context save |
/// | `PersistentStoreCoordinator` | the saved state of the store |
public protocol ChangeSubject {
  /// The place of a context that reads the state. Strata implements it.
  var _observedPlace: _ContextPlace { get }
}

extension ManagedObjectContext: ChangeSubject {
  /// Ends the context's turn.
  public var _observedPlace: _ContextPlace {
    processPendingChanges()
    return layer.place
  }
}

extension ContextQueue: ChangeSubject {
  public var _observedPlace: _ContextPlace { place }
}

extension ContextLayer: ChangeSubject {
  public var _observedPlace: _ContextPlace { place }
}

extension PersistentContainer: ChangeSubject {
  public var _observedPlace: _ContextPlace { root.place }
}

extension PersistentStoreCoordinator: ChangeSubject {
  public var _observedPlace: _ContextPlace { place }
}
