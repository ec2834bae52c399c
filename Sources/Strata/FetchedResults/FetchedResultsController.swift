// SPDX-License-Identifier: Apache-2.0
public import StrataChanges
public import StrataModel
public import StrataQuery
import StrataRecord

/// The result of a fetch request, in sections, kept up to date while its context's objects change.
/// Core Data: `NSFetchedResultsController`.
///
/// ```swift
/// let list = FetchedResultsController(
///   City.all.sorted(by: \.name), in: context, sectionNameKeyPath: { $0.country.name })
/// try list.performFetch()
/// list.sections[0].objects[0].name
/// ```
///
/// ## What it follows
/// Whatever its context tells in objectsDidChange: changes at the end of their turn, saves of children
/// that land, merges, refreshing, rollback, undo. After that the list is what a fetch gives, by the
/// values that the context's objects show: an object that somebody holds keeps its values when others
/// save, and its place, until a merge. What others save to the context's ancestors is seen with
/// `automaticallyMergesChangesFromParent`, or when it is merged.
///
/// Conditions and sections may lie on other objects (`$0.country.name`): when those change, the objects
/// that lead to them are placed anew.
///
/// ## How it tells
/// In three ways, each of which turns the old list into the new one: callbacks of the `delegate`,
/// the sequence `updates()` for those elsewhere, and `snapshot`s, which know their differences.
///
/// ## What it costs
/// A change of k objects in a list of n takes O(k log n) and what the predicate takes for k objects;
/// n does not matter otherwise. Where the predicate asks about objects at the other end of to-one
/// relationships, k counts those that lead to a changed one. All is fetched again, in what a fetch
/// takes and O(n),
/// - if the request has a limit or an offset, and an object changes that it may be about;
/// - if the predicate asks about members of to-many relationships, and one of their entity changes;
/// - if more has changed than can be told object by object: after a save by another process, for one.
///
/// The list holds IDs and sort keys, not objects: `object(at:)` and its kin make them when asked.
///
/// ## Lifetime
/// The context does not keep the controller, nor the controller its context; so a controller may be
/// kept in the context's `userInfo`. When the context goes, the list is empty.
///
/// ## Isolation
/// The context's: it is not `Sendable`, as objects are not.
public final class FetchedResultsController<Object: Entity> {
  /// What the list is of. A change counts from the next `performFetch()` on.
  public var fetchRequest: FetchRequest<Object>

  /// Who is told of changes in the context's isolation. Not of `performFetch()`: who calls that looks
  /// at the list afterwards. Held weakly.
  public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?

  /// Why the list is not up to date: the store could not be read, or the sections that `sectionName`
  /// gives are not in one piece each. It is as it was before that, and is fetched anew with each
  /// further change of the context. Nil if all is well.
  public internal(set) var error: (any Error)?

  let rule: SectionRule<Object>
  private weak var context: ManagedObjectContext?
  /// How the list comes about; nil before the first fetch, and after a reset.
  var placement: ResultPlacement<Object>?
  var state: ResultState
  let streams = UpdateStreams()
  var updateCount = 0
  /// What is to be looked at when the change that is being told has been.
  var pending = LiveChanges()
  var isFollowing = false

  /// A list without sections: it has one, also when it is empty.
  ///
  /// Nothing is fetched before `performFetch()`.
  public convenience init(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext
  ) {
    self.init(request, in: context, rule: .none)
  }

  /// A list with sections by a property of the objects, or of objects at the end of to-one
  /// relationships: each value is a section, named by it.
  ///
  /// The sections are in the order of the property. If it is the objects' own, the request has to sort
  /// by it first, in whichever direction, as in Core Data. If it is another object's, `{ $0.country.name }`,
  /// the list is put in its order before that of the request, in `direction`; objects without a value
  /// come first, or last if descending.
  ///
  /// - Parameter path: an attribute that can be sorted by.
  public convenience init<Value>(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext,
    sectionNameKeyPath path: (PropertyPath<Object, Object>) -> PropertyPath<Object, Value>,
    _ direction: SortKey.Direction = .ascending
  ) {
    self.init(
      request, in: context, rule: .property(path(PropertyPath()).operand, direction))
  }

  /// A list with sections by what the program says of each object: the first letter of a name, the
  /// month of a date.
  ///
  /// The sections are in the order of the request, which has to be such that the objects of one follow
  /// each other.
  ///
  /// - Parameter sectionName: the name of an object's section, or nil. It depends on the object's own
  ///   attributes alone: an object is asked again when it changes itself. All objects of the list are
  ///   made for it. It must not change anything.
  public convenience init(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext,
    sectionName: @escaping (Object) -> String?
  ) {
    self.init(request, in: context, rule: .computed(sectionName))
  }

  private init(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext, rule: SectionRule<Object>
  ) {
    fetchRequest = request
    self.context = context
    self.rule = rule
    state = ResultState(isSectioned: rule.isSectioned, schema: context.schema)
  }

  deinit { streams.finish() }

  /// The context whose objects these are; nil when it is gone.
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
  /// Whether the list has been fetched: `performFetch()` has succeeded, and the context was not reset
  /// since. If not, the list is empty.
  public var isFetched: Bool { placement != nil && context != nil }

  /// All objects, in the order of the list. Core Data: `fetchedObjects`. O(1); each object O(log n).
  public var fetchedObjects: FetchedObjects<Object> {
    FetchedObjects(list, 0..<list.count, in: context)
  }

  /// The object at a place. Core Data: `object(at:)`. O(log n).
  ///
  /// - Precondition: the place is one of the list's.
  public func object(at indexPath: FetchedIndexPath) -> Object {
    guard let index = list.index(at: indexPath) else {
      preconditionFailure("there is no object at \(indexPath) of the fetched list")
    }
    return fetchedObjects[index]
  }

  /// The place of an object; nil if the list does not have it. Core Data: `indexPath(forObject:)`.
  /// O(log n).
  public func indexPath(forObject object: Object) -> FetchedIndexPath? {
    indexPath(for: object.objectID)
  }

  /// The place of the object with this ID; nil if the list does not have it. O(log n).
  public func indexPath(for id: ObjectID) -> FetchedIndexPath? {
    guard let context, id.store == context.schema.store, let entry = state.entries[id.key] else {
      return nil
    }
    return list.indexPath(at: list.countBefore(entry))
  }

  /// The list as a value that may be kept and sent anywhere. O(1).
  public var snapshot: FetchedResultsSnapshot {
    FetchedResultsSnapshot(list, store: context?.schema.store)
  }

  /// The changes of the list from now on, for those who are elsewhere: a `performFetch()` is one, too.
  ///
  /// ```swift
  /// let (start, updates) = try await queue.perform { context in
  ///   let list = FetchedResultsController(City.all.sorted(by: \.name), in: context)
  ///   context.userInfo["cities"] = list  // so that it stays
  ///   try list.performFetch()
  ///   return (list.snapshot, list.updates())
  /// }
  /// ```
  ///
  /// The context does not wait for the consumer: updates are held until they are taken, and of more than
  /// `limit` the oldest are dropped, which `FetchedResultsUpdate.number` tells. Each has the whole list
  /// as a snapshot, and shares it with the others. The sequence ends when the controller goes; it is
  /// for one consumer.
  ///
  /// - Parameter limit: how many updates are held at most; at least 1.
  public func updates(limit: Int = Layer.messageCountMax) -> AsyncStream<FetchedResultsUpdate> {
    streams.makeStream(limit: limit)
  }
}

// MARK: - Sections

extension FetchedResultsController {
  /// How many sections there are. O(1).
  public var sectionCount: Int { list.sectionCount }

  /// The sections, in their order. Core Data: `sections`. O(sections × log n).
  public var sections: [FetchedResultsSection<Object>] {
    (0..<sectionCount).map { section(at: $0) }
  }

  /// One section. O(log n).
  ///
  /// - Precondition: there is such a section.
  public func section(at index: Int) -> FetchedResultsSection<Object> {
    let name = list.name(ofSection: index)
    return FetchedResultsSection(
      name: name, indexTitle: name.flatMap { indexTitle(forName: $0) },
      objects: FetchedObjects(list, list.range(ofSection: index), in: context))
  }

  /// The index titles of the sections that have one, in their order. Core Data: `sectionIndexTitles`.
  /// O(sections × log n).
  public var sectionIndexTitles: [String] { sections.compactMap(\.indexTitle) }

  /// The section that an entry of `sectionIndexTitles` stands for; nil if there is none.
  /// Core Data: `section(forSectionIndexTitle:at:)`. O(sections × log n).
  public func section(forSectionIndexTitleAt index: Int) -> Int? {
    let titled = sections.indices.filter { section(at: $0).indexTitle != nil }
    return titled.indices.contains(index) ? titled[index] : nil
  }

  private func indexTitle(forName name: String) -> String? {
    guard let delegate else { return name.first.map { $0.uppercased() } }
    return delegate.controller(self, sectionIndexTitleForSectionName: name)
  }
}
