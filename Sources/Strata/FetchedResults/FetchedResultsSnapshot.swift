// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// A fetched list at one moment: its sections and the IDs of their objects. Core Data hands out
/// `NSDiffableDataSourceSnapshot`.
///
/// It is a value that may be kept, compared and sent anywhere. Taking one from a controller copies
/// nothing: it shares the controller's list, which the controller does not change but replaces.
/// Looking up a place takes O(log n) steps.
public struct FetchedResultsSnapshot: Sendable {
  /// One section of the list.
  public struct Section: Sendable, Hashable, Codable {
    /// The section's name; nil for the objects that have no value to be sectioned by, and in a list
    /// without sections.
    public let name: String?
    /// The objects of the section, in the order of the list.
    public let objectIDs: [ObjectID]
  }

  let list: ResultList
  /// Nil only of a list without objects.
  let store: StoreIdentity?

  init(_ list: ResultList, store: StoreIdentity?) {
    self.list = list
    self.store = store
  }

  // MARK: - Counts

  /// How many objects there are.
  public var count: Int { list.count }

  /// Whether the list has no objects.
  public var isEmpty: Bool { count == 0 }

  /// How many sections there are: 1 in a list without sections, also if that is empty.
  public var sectionCount: Int { list.sectionCount }

  // MARK: - Contents

  /// The sections in their order.
  ///
  /// - Complexity: O(n).
  public var sections: [Section] { (0..<sectionCount).map { section(at: $0) } }

  /// One section.
  ///
  /// - Complexity: O(log n + objects in it).
  /// - Precondition: there is such a section.
  public func section(at index: Int) -> Section {
    Section(
      name: list.name(ofSection: index),
      objectIDs: list.objectIDs(in: list.range(ofSection: index), of: store))
  }

  /// The IDs of all objects, in the order of the list.
  ///
  /// - Complexity: O(n).
  public var objectIDs: [ObjectID] { list.objectIDs(in: 0..<count, of: store) }

  /// The ID of the object at an index path; nil beyond the list.
  ///
  /// - Complexity: O(log n).
  public func objectID(at indexPath: FetchedIndexPath) -> ObjectID? {
    guard let store, let index = list.index(at: indexPath) else { return nil }
    return ObjectID(store: store, key: list.entry(at: index).key)
  }
}

// MARK: - Comparing and coding

extension FetchedResultsSnapshot: Hashable {
  /// Whether both have the same sections with the same objects, in the same order.
  ///
  /// - Complexity: O(n).
  public static func == (left: FetchedResultsSnapshot, right: FetchedResultsSnapshot) -> Bool {
    if let root = left.list.root, root === right.list.root { return left.store == right.store }
    return left.count == right.count && left.sections == right.sections
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(sections) }
}

extension FetchedResultsSnapshot: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(sections)
  }

  /// - Throws: `DecodingError`, also if the data is not a valid list: an object or a name that
  ///   occurs twice, objects of two stores.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let sections = try container.decode([Section].self)
    guard let snapshot = FetchedResultsSnapshot(sections: sections) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "the sections are not those of a fetched list")
    }
    self = snapshot
  }

  /// Nil if something is there twice, a section is empty, or objects are of two stores that
  /// cannot be of one coordinator.
  init?(sections: [Section]) {
    let ids = sections.lazy.flatMap(\.objectIDs)
    let store = StoreIdentity(having: ids)
    if store == nil, !ids.isEmpty { return nil }
    let isEmpty = sections.count == 1 && sections[0].objectIDs.isEmpty && sections[0].name == nil
    var entries: [ResultEntry] = []
    var keys: Set<ObjectKey> = []
    var names: Set<String?> = []
    for section in sections {
      guard names.insert(section.name).inserted, isEmpty || !section.objectIDs.isEmpty else {
        return nil
      }
      let name = SectionName(section.name)
      for id in section.objectIDs {
        guard keys.insert(id.key).inserted else { return nil }
        // The place is all that is known of its order.
        entries.append(ResultEntry(key: id.key, order: [], section: name))
      }
    }
    self.init(ResultList(ResultNode.list(of: entries[...]), isSectioned: !isEmpty), store: store)
  }
}
