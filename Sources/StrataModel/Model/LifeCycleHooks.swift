// SPDX-License-Identifier: Apache-2.0

/// The life cycle methods that the class of an entity overrides.
///
/// With it, unused hooks cost nothing: a save makes and calls objects only of the entities whose
/// description has the hook, so a million changes that a child pushed are written to the disk
/// without one instance. `@Entity` finds the overrides in the class's body. A description written
/// by hand lists them, or leaves it at `.all`, which is correct for every class.
@frozen
public struct _LifeCycleHooks: OptionSet, Sendable, Hashable {
  public let rawValue: UInt16

  // Inlinable: fetches and insertions ask for hooks object by object.
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

  @inlinable public static var awakeFromInsert: Self { Self(rawValue: 1 << 0) }
  @inlinable public static var awakeFromFetch: Self { Self(rawValue: 1 << 1) }
  @inlinable public static var awakeFromSnapshotEvents: Self { Self(rawValue: 1 << 2) }
  @inlinable public static var willSave: Self { Self(rawValue: 1 << 3) }
  @inlinable public static var didSave: Self { Self(rawValue: 1 << 4) }
  @inlinable public static var prepareForDeletion: Self { Self(rawValue: 1 << 5) }
  @inlinable public static var willTurnIntoFault: Self { Self(rawValue: 1 << 6) }
  @inlinable public static var didTurnIntoFault: Self { Self(rawValue: 1 << 7) }
  @inlinable public static var validateForInsert: Self { Self(rawValue: 1 << 8) }
  @inlinable public static var validateForUpdate: Self { Self(rawValue: 1 << 9) }
  @inlinable public static var validateForDelete: Self { Self(rawValue: 1 << 10) }

  /// Every hook.
  @inlinable public static var all: Self { Self(rawValue: .max) }

  /// The hooks around an object's turning into a fault.
  @inlinable package static var faulting: Self { Self(rawValue: 1 << 6 | 1 << 7) }

  /// The hooks that may run when an object is given its values.
  @inlinable package static var loading: Self { Self(rawValue: 1 << 1 | 1 << 6 | 1 << 7) }

  /// The hooks by which an object says whether it may be saved.
  @inlinable package static var validating: Self { Self(rawValue: 1 << 8 | 1 << 9 | 1 << 10) }
}
