// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// How a fetched list became another: which sections and objects went, came, moved and changed.
///
/// ## How it is applied
/// As Core Data's callbacks and the batch updates of list views are. What goes is said in places of
/// the old list, what comes in places of the new one:
/// 1. objects that are deleted, and those that move, leave their old places;
/// 2. deleted sections, empty by now, go, and new ones, empty as yet, come, so that each has the index
///    that it has in the new list;
/// 3. new objects, and those that move, take their new places, in ascending order.
///
/// `FetchedResultsSnapshot.applying(_:)` does that.
///
/// All lists are in ascending order of the places, moves and updates in that of the new ones.
public struct FetchedResultsDifference: Sendable, Hashable, Codable {
  /// A section that came or went.
  public struct Section: Sendable, Hashable, Codable {
    /// The index in the old list, if the section went; in the new one, if it came.
    public let index: Int
    public let name: String?
  }

  /// An object that came or went.
  public struct Object: Sendable, Hashable, Codable {
    public let objectID: ObjectID
    /// The place in the old list, if the object went; in the new one, if it came.
    public let indexPath: FetchedIndexPath
  }

  /// An object that is in both lists.
  public struct Step: Sendable, Hashable, Codable {
    public let objectID: ObjectID
    /// The place in the old list.
    public let from: FetchedIndexPath
    /// The place in the new list.
    public let to: FetchedIndexPath
  }

  public internal(set) var deletedSections: [Section] = []
  public internal(set) var insertedSections: [Section] = []
  public internal(set) var deletions: [Object] = []
  public internal(set) var insertions: [Object] = []
  /// The objects that stand at another place among the others than before. Their values have changed
  /// too, or those of an object that they are placed by: who shows one shows it anew.
  public internal(set) var moves: [Step] = []
  /// The objects that have changed and stayed where they were: their places differ as far as objects
  /// before them came and went.
  public internal(set) var updates: [Step] = []

  /// Whether nothing has changed.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty
      && moves.isEmpty && updates.isEmpty
  }
}
