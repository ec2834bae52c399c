// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
public import StrataModel
import StrataPrimitives
public import StrataQuery
import StrataRecord

/// The result of a fetch request, in sections, kept up to date while its context's objects change.
/// Core Data: `NSFetchedResultsController`.
///
/// ```swift
/// let list = FetchedResultsController(
///   City.all.sorted(by: \.name), context: context, sectionNameKeyPath: { $0.country.name })
/// try list.performFetch()
/// list.sections[0].objects[0].name
/// ```
///
/// ## Changes that it follows
/// All changes in its context's objectsDidChange: changes at the end of their turn, saves of
/// children, merges, refreshing, rollback, undo. After that the list equals the result of a fetch,
/// by the values that the context's objects show: an object that the program holds keeps its values
/// when others save, and its position, until a merge. Saves of others to the context's ancestors
/// are seen with `automaticallyMergesChangesFromParent`, or when they are merged.
///
/// Conditions and sections may depend on other objects (`$0.country.name`): when those change, the
/// objects that lead to them are placed again.
///
/// ## One moment
/// The places in the list are of the last fetch or merge. An object that is not loaded takes its
/// values from the state that its turn reads. If others have saved, that state is newer until the
/// context merges, and a value may contradict its place. To read places and values of one state,
/// pin the context, `setQueryGeneration(from: .current)`, and then call `performFetch()`. To move
/// on, do both again.
///
/// ## Reports
/// There are three forms, each of which turns the old list into the new one: callbacks of the
/// `delegate`, the sequence `updates()` for other isolations, and `snapshot`s, which compute their
/// differences.
///
/// ## Costs
/// A change of k objects in a list of n takes O(k log n) and the evaluation of the predicate for k
/// objects; n does not matter otherwise. If the predicate reads objects at the other end of to-one
/// relationships, k counts the objects that lead to a changed one. The whole list is fetched again,
/// in the time of a fetch and O(n),
/// - if the request has a limit or an offset, and an object changes that may be affected;
/// - if the predicate reads members of to-many relationships, and one of their entity changes;
/// - if the changes are not known object by object: after many saves by another process at once,
///   for example.
///
/// The list holds IDs and sort keys, not objects: `object(at:)` and similar calls make them.
///
/// ## Lifetime
/// The context does not retain the controller, nor the controller its context; so a controller may
/// be kept in the context's `userInfo`. When the context is deallocated, the list is empty.
///
/// ## Isolation
/// The context's: it is not `Sendable`, as objects are not.
public final class FetchedResultsController<Object: Entity> {
  /// The request of the list. A change applies from the next `performFetch()` on. The list has the
  /// context's unsaved changes whatever the request says in `includesPendingChanges`.
  public var fetchRequest: FetchRequest<Object>

  /// The delegate, notified of changes in the context's isolation. It is not notified of
  /// `performFetch()`: the caller reads the list afterwards. Held weakly.
  public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?

  /// The reason why the list is not up to date: the store could not be read, or the sections that
  /// `sectionName` gives are not contiguous. The list has its last correct state, and is fetched
  /// again with each further change of the context. Nil if it is up to date.
  public internal(set) var error: (any Error)?

  let rule: SectionRule<Object>
  private weak var context: ManagedObjectContext?
  /// How the list comes about; nil before the first fetch, and after a reset.
  var placement: ResultPlacement<Object>?
  var state: ResultState
  let streams = UpdateStreams()
  var updateCount = 0
  /// The number of the context's resets at the last fetch.
  var resetCountAtFetch = 0
  /// The changes to examine after the change that is being reported.
  var pending = LiveChanges()
  var isFollowing = false

  /// A list without sections: it has one, also when it is empty.
  ///
  /// Nothing is fetched before `performFetch()`.
  public convenience init(
    _ request: FetchRequest<Object>, context: ManagedObjectContext
  ) {
    self.init(request, context: context, rule: .none)
  }

  /// A list with sections by a property of the objects, or of objects at the end of to-one
  /// relationships: each value is a section, named by it.
  ///
  /// The sections are in the order of the property, as `sorted(by:)` has it. If it is the objects'
  /// own, the request has to sort by it first, in either direction, as in Core Data. If it is
  /// another object's, `{ $0.country.name }`, the list is sorted by it, in `order`, before the
  /// request's own order; objects without a value come first, or last if descending.
  ///
  /// - Parameters:
  ///   - request: the objects of the list, and their order.
  ///   - context: the context of the objects, whose isolation the controller has.
  ///   - path: an attribute that can be sorted by.
  ///   - order: the order of the sections if the property is another object's.
  public convenience init<Leaf>(
    _ request: FetchRequest<Object>, context: ManagedObjectContext,
    sectionNameKeyPath path: (PropertyPath<Object, Object>) -> PropertyPath<Object, Leaf>,
    order: SortOrder = .forward
  ) {
    let path = path(PropertyPath())
    self.init(
      request, context: context,
      rule: .property(path.operand, key: SortKey(sortingBy: path, order: order)))
  }

  /// A list with sections by a function of each object: the first letter of a name, the month of a
  /// date.
  ///
  /// The sections are in the order of the request, which has to make the objects of one section
  /// contiguous.
  ///
  /// - Parameters:
  ///   - request: the objects of the list, and their order.
  ///   - context: the context of the objects, whose isolation the controller has.
  ///   - sectionName: the name of an object's section, or nil. It depends only on the object's own
  ///     attributes: it is called again when the object itself changes. All objects of the
  ///     list are made for it. It must not change anything.
  public convenience init(
    _ request: FetchRequest<Object>, context: ManagedObjectContext,
    sectionName: @escaping (Object) -> String?
  ) {
    self.init(request, context: context, rule: .computed(sectionName))
  }

  private init(
    _ request: FetchRequest<Object>, context: ManagedObjectContext, rule: SectionRule<Object>
  ) {
    fetchRequest = request
    self.context = context
    self.rule = rule
    state = ResultState(isSectioned: rule.isSectioned, schema: context.schema)
  }

  deinit { streams.finish() }

  /// The context of the objects; nil when it is deallocated.
  public var managedObjectContext: ManagedObjectContext? { context }

  /// The list; empty if the context is gone.
  private var list: ResultList {
    context == nil ? ResultList(isSectioned: state.list.isSectioned) : state.list
  }
}

@available(
  *, unavailable,
  message: "hand over its snapshot or its updates(); a controller stays where its context is"
)
extension FetchedResultsController: Sendable {}

// MARK: - The list

extension FetchedResultsController {
  /// Whether the list has been fetched: `performFetch()` has succeeded, and the context was not
  /// reset since. If not, the list is empty.
  public var isFetched: Bool { placement != nil && context != nil }

  /// All objects, in the order of the list. Core Data: `fetchedObjects`.
  ///
  /// - Complexity: O(1); each object O(log n).
  public var fetchedObjects: FetchedObjects<Object> {
    FetchedObjects(list, 0..<list.count, in: context)
  }

  /// The object at a place. Core Data: `object(at:)`.
  ///
  /// - Complexity: O(log n).
  /// - Precondition: the place is one of the list's.
  public func object(at indexPath: FetchedIndexPath) -> Object {
    guard let index = list.index(at: indexPath) else {
      stopProgram(
        "The fetched list has no object at item \(indexPath.item) of section \(indexPath.section): "
          + "snapshot.objectID(at:) is nil there.")
    }
    return fetchedObjects[index]
  }

  /// The place of an object; nil if the list does not have it. Core Data: `indexPath(forObject:)`.
  ///
  /// - Complexity: O(log n).
  public func indexPath(forObject object: Object) -> FetchedIndexPath? {
    indexPath(for: object.objectID)
  }

  /// The place of the object with this ID; nil if the list does not have it.
  ///
  /// - Complexity: O(log n).
  public func indexPath(for id: ObjectID) -> FetchedIndexPath? {
    guard let context, context.schema.store.has(id), let entry = state.entries[id.key] else {
      return nil
    }
    return list.indexPath(at: list.countBefore(entry))
  }

  /// The list as a value that may be kept and sent anywhere.
  public var snapshot: FetchedResultsSnapshot {
    FetchedResultsSnapshot(list, store: context?.schema.store)
  }

  /// The changes of the list from now on, for other isolations. A `performFetch()` is a change,
  /// too.
  ///
  /// ```swift
  /// let (start, updates) = try await queue.perform { context in
  ///   let list = FetchedResultsController(City.all.sorted(by: \.name), context: context)
  ///   context.userInfo["cities"] = list  // so that it stays
  ///   try list.performFetch()
  ///   return (list.snapshot, list.updates())
  /// }
  /// ```
  ///
  /// The context does not wait for the consumer: updates are buffered until they are taken, and
  /// beyond `limit` the oldest are dropped, which shows in `FetchedResultsUpdate.number`. Each has
  /// the whole list as a snapshot, and shares it with the others. The sequence ends when the
  /// controller is deallocated; it is for one consumer.
  ///
  /// - Parameter limit: the maximum number of buffered updates; at least 1.
  public func updates(limit: Int = ManagedObjectContext.messageCountMax) -> AsyncStream<
    FetchedResultsUpdate
  > {
    streams.makeStream(limit: limit)
  }
}

// MARK: - Sections

extension FetchedResultsController {
  /// How many sections there are.
  public var sectionCount: Int { list.sectionCount }

  /// The sections, in their order. Core Data: `sections`.
  ///
  /// - Complexity: O(sections × log n).
  public var sections: [FetchedResultsSection<Object>] {
    (0..<sectionCount).map { section(at: $0) }
  }

  /// One section.
  ///
  /// - Complexity: O(log n).
  /// - Precondition: there is such a section.
  public func section(at index: Int) -> FetchedResultsSection<Object> {
    let name = list.name(ofSection: index)
    return FetchedResultsSection(
      name: name, indexTitle: name.flatMap { indexTitle(forName: $0) },
      objects: FetchedObjects(list, list.range(ofSection: index), in: context))
  }

  /// The index titles of the sections that have one, in their order. Core Data:
  /// `sectionIndexTitles`.
  ///
  /// - Complexity: O(sections × log n).
  public var sectionIndexTitles: [String] { sections.compactMap(\.indexTitle) }

  /// The section of an entry of `sectionIndexTitles`; nil for an unknown title. Core Data:
  /// `section(forSectionIndexTitle:at:)`.
  ///
  /// - Complexity: O(sections × log n).
  public func section(forSectionIndexTitleAt index: Int) -> Int? {
    let titled = sections.indices.filter { section(at: $0).indexTitle != nil }
    return titled.indices.contains(index) ? titled[index] : nil
  }

  private func indexTitle(forName name: String) -> String? {
    guard let delegate else { return name.first.map { $0.uppercased() } }
    return delegate.controller(self, sectionIndexTitleForSectionName: name)
  }
}
