// SPDX-License-Identifier: Apache-2.0

/// Which methods of its life cycle the class of an entity overrides.
///
/// It exists so that hooks cost nothing where nobody has any: a save makes and calls objects only of
/// the entities whose description has the hook, so a million changes that a child pushed go to the
/// disk without one instance. `@Entity` finds the overrides in the class's body. A description
/// written by hand says them itself, or leaves it at `.all`, which is right for every class.
public struct LifeCycleHooks: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let awakeFromInsert = LifeCycleHooks(rawValue: 1 << 0)
  public static let awakeFromFetch = LifeCycleHooks(rawValue: 1 << 1)
  public static let awakeFromSnapshotEvents = LifeCycleHooks(rawValue: 1 << 2)
  public static let willSave = LifeCycleHooks(rawValue: 1 << 3)
  public static let didSave = LifeCycleHooks(rawValue: 1 << 4)
  public static let prepareForDeletion = LifeCycleHooks(rawValue: 1 << 5)
  public static let willTurnIntoFault = LifeCycleHooks(rawValue: 1 << 6)
  public static let didTurnIntoFault = LifeCycleHooks(rawValue: 1 << 7)

  /// Every hook.
  public static let all = LifeCycleHooks(rawValue: .max)

  /// The hooks around an object's turning into a fault.
  package static let faulting: LifeCycleHooks = [.willTurnIntoFault, .didTurnIntoFault]
}
