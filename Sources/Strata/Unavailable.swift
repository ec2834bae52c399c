// SPDX-License-Identifier: Apache-2.0
import Foundation
public import StrataModel
public import StrataQuery

// Names of Core Data, SwiftData and GRDB that Strata does not have. Each is refused by the compiler
// with a message that names the right word.

extension Entity {
  @available(*, unavailable, renamed: "where(_:)")
  public static func filter(
    _ condition: (PropertyPath<Self, Self>) -> FetchPredicate
  ) -> FetchRequest<Self> { all }

  @available(*, unavailable, renamed: "init(context:)")
  public init(in context: ManagedObjectContext) { fatalError() }

  @available(*, unavailable, message: "use 'City.all' or 'City.where { … }'")
  public static func fetchRequest() -> FetchRequest<Self> { all }
}

extension ManagedObjectContext {
  @available(*, unavailable, message: "an object is inserted by its initializer, 'City(context:)'")
  public func insert(_ object: ManagedObject) {}

  @available(*, unavailable, renamed: "count(_:)")
  public func count<T: Entity>(for request: FetchRequest<T>) throws -> Int { 0 }

  @available(*, unavailable, renamed: "count(_:)")
  public func fetchCount<T: Entity>(_ request: FetchRequest<T>) throws -> Int { 0 }

  @available(*, unavailable, renamed: "first(_:)")
  public func fetchOne<T: Entity>(_ request: FetchRequest<T>) throws -> T? { nil }

  @available(*, unavailable, renamed: "first(_:)")
  public func fetchFirst<T: Entity>(_ request: FetchRequest<T>) throws -> T? { nil }

  @available(*, unavailable, renamed: "fetchIDs(_:)")
  public func fetchIdentifiers<T: Entity>(_ request: FetchRequest<T>) throws -> [ObjectID] { [] }

  @available(*, unavailable, renamed: "sum(_:of:)")
  public func sum<T: Entity, V>(of keyPath: KeyPath<T, V>, for request: FetchRequest<T>) throws {}

  @available(*, unavailable, renamed: "withSavepoint(_:)")
  public func edit<T>(_ body: () throws -> T) rethrows -> T { try body() }

  @available(*, unavailable, renamed: "withSavepoint(_:)")
  public func transaction<T>(_ body: () throws -> T) rethrows -> T { try body() }

  @available(
    *, unavailable,
    message: "a context is used where it is: other code enters it by its 'ContextQueue'"
  )
  public func perform<T>(_ body: () throws -> T) async rethrows -> T { try body() }

  @available(
    *, unavailable,
    message: "a context is used where it is: other code enters it by its 'ContextQueue'"
  )
  public func performAndWait<T>(_ body: () throws -> T) rethrows -> T { try body() }

  @available(*, unavailable, message: "pass the parent to 'init(parent:)'")
  public var parent: ManagedObjectContext? {
    get { nil }
    set {}
  }

  @available(*, unavailable, renamed: "refreshAllObjects()")
  public func refreshAll() {}

  @available(*, unavailable, message: "execute a 'BatchDeleteRequest'")
  public func delete<T: Entity>(_ type: T.Type) {}

  @available(*, unavailable, message: "execute a 'BatchDeleteRequest' with the request")
  public func deleteAll<T: Entity>(_ request: FetchRequest<T>) {}
}

extension PersistentContainer {
  @available(*, unavailable, renamed: "init(at:model:)")
  public convenience init(name: String) { fatalError() }

  @available(*, unavailable, message: "the initializer opens the store and throws if it cannot")
  public func loadPersistentStores(completionHandler: (any Error) -> Void) {}

  @available(*, unavailable, renamed: "newBackgroundContext()")
  public func backgroundContext() -> ContextQueue { root }
}

extension FetchedResultsController {
  @available(*, unavailable, renamed: "init(_:context:sectionNameKeyPath:)")
  public convenience init(
    fetchRequest: FetchRequest<Object>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: String?, cacheName: String?
  ) { fatalError() }
}

extension ToMany {
  @available(*, unavailable, renamed: "insert(_:)")
  public func append(_ object: Target) {}

  @available(*, unavailable, renamed: "insert(_:)")
  public func add(_ object: Target) {}
}

extension ObjectID {
  @available(*, unavailable, renamed: "entityName")
  public var entity: EntityDescription { fatalError() }

  @available(*, unavailable, message: "IDs are permanent from birth")
  public var isTemporaryID: Bool { false }
}

#if !canImport(Darwin)
  @available(*, unavailable, renamed: "ManagedObjectContext.UndoManager")
  public typealias UndoManager = ManagedObjectContext.UndoManager
#endif
