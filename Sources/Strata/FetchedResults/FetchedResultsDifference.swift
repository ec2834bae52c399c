// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// The difference between two fetched lists: deleted, inserted, moved and updated sections and
/// objects.
///
/// ## How it is applied
/// The order is that of Core Data's callbacks and of the batch updates of list views. Deletions
/// refer to index paths of the old list, insertions to index paths of the new one:
/// 1. objects that are deleted, and those that move, leave their old places;
/// 2. deleted sections, empty by now, are removed, and new ones, still empty, are inserted, so that
///    each has its index in the new list;
/// 3. new objects, and those that move, take their new places, in ascending order.
///
/// `FetchedResultsSnapshot.applying(_:)` does that.
///
/// All lists are in ascending order of the index paths, moves and updates in that of the new ones.
public struct FetchedResultsDifference: Sendable, Hashable, Codable {
  /// A section that came or went.
  public struct Section: Sendable, Hashable, Codable {
    /// The index in the old list, if the section went; in the new one, if it came.
    public let index: Int
    /// The name of the section; nil for the objects that have no value to be sectioned by.
    public let name: String?
  }

  /// An object that came or went.
  public struct Object: Sendable, Hashable, Codable {
    /// The object that came or went. One that went may be deleted.
    public let objectID: ObjectID
    /// The place in the old list, if the object went; in the new one, if it came.
    public let indexPath: FetchedIndexPath
  }

  /// An object that is in both lists.
  public struct Step: Sendable, Hashable, Codable {
    /// The object that is in both lists.
    public let objectID: ObjectID
    /// The place in the old list.
    public let from: FetchedIndexPath
    /// The place in the new list.
    public let to: FetchedIndexPath
  }

  /// The sections that went, with their indexes in the old list.
  public internal(set) var deletedSections: [Section] = []
  /// The sections that came, with their indexes in the new list.
  public internal(set) var insertedSections: [Section] = []
  /// The objects that went, also with their section, with their places in the old list.
  public internal(set) var deletions: [Object] = []
  /// The objects that came, also with their section, with their places in the new list.
  public internal(set) var insertions: [Object] = []
  /// The objects whose position among the others has changed. Their values have changed too, or
  /// values of an object that they are sorted by: a list view shows them again.
  public internal(set) var moves: [Step] = []
  /// The objects that have changed and stayed where they were: their places differ as far as
  /// objects before them came and went.
  public internal(set) var updates: [Step] = []

  /// Whether nothing has changed.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty
      && moves.isEmpty && updates.isEmpty
  }
}
