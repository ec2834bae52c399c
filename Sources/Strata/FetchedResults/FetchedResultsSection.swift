// SPDX-License-Identifier: Apache-2.0

/// One section of a fetched list. Core Data: `NSFetchedResultsSectionInfo`.
public struct FetchedResultsSection<Object: Entity> {
  /// The name of the section: the value that the list has sections by, as text. Nil for objects
  /// without a value, and in a list without sections.
  public let name: String?
  /// The title of the section in an index beside the list; nil for a section without a name.
  public let indexTitle: String?
  /// The section's objects, in the order of the list.
  public let objects: FetchedObjects<Object>

  /// How many objects the section has. Core Data: `numberOfObjects`.
  public var count: Int { objects.count }
}
