// SPDX-License-Identifier: Apache-2.0

/// The causes, besides a fetch or an edit, that give an object its values: the argument of
/// `ManagedObject.awakeFromSnapshotEvents(_:)`. Core Data: `NSSnapshotEventType`.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An insertion was undone or redone.
  public static let undoInsertion = SnapshotEvents(rawValue: 1 << 0)
  /// A deletion was undone or redone.
  public static let undoDeletion = SnapshotEvents(rawValue: 1 << 1)
  /// A change of values was undone or redone.
  public static let undoUpdate = SnapshotEvents(rawValue: 1 << 2)
  /// The context was rolled back.
  public static let rollback = SnapshotEvents(rawValue: 1 << 3)
  /// The object was refreshed or merged.
  public static let refresh = SnapshotEvents(rawValue: 1 << 4)
  /// A merge policy decided a conflict about the object.
  public static let mergePolicy = SnapshotEvents(rawValue: 1 << 5)
}
