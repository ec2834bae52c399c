// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
public import StrataQuery

/// The objects of a fetch whose values are loaded at their first use, a batch at a time. Core Data:
/// `fetchBatchSize`.
///
/// The request was executed as a whole: the objects and their order are fixed at the fetch. An
/// element whose values are not in memory is loaded together with its batch, in the context's state
/// at that time. A walk over all of them needs no more memory than the context's cache may take;
/// objects that the program holds stay.
///
/// An object that has been deleted since is still an element, and reads as deleted.
///
/// ## Isolation
/// The context's: like its objects, the collection stays where it was made.
public struct ObjectBatches<Object: ManagedObject> {
  let context: ManagedObjectContext
  let request: FetchRequest<Object>
  let keys: [ObjectKey]
  /// How many objects are loaded together; 1 or more.
  public let batchSize: Int

  /// The objects' IDs. No object is loaded.
  public var objectIDs: [ObjectID] {
    keys.map { ObjectID(store: context.schema.store, key: $0) }
  }
}

@available(*, unavailable, message: "hand over objectIDs; objects stay in their context")
extension ObjectBatches: Sendable {}

extension ObjectBatches: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { keys.count }

  /// The object at `index`, with its values. An error in loading them waits for the next call that
  /// can throw; the object is a fault then.
  ///
  /// - Precondition: `index` is one of the collection's.
  /// - Complexity: O(1), or O(`batchSize`) look-ups if the object is not in memory.
  public subscript(index: Int) -> Object {
    require(
      keys.indices.contains(index),
      "The fetch has \(keys.count) objects, and none at index \(index): compare with endIndex.")
    let key = keys[index]
    context.reader.prepareToHandOut()
    if context.registry.cache.object(for: key)?.isFault ?? true {
      let start = index - index % batchSize
      context.fetcher.loadBatch(
        Array(keys[start..<Swift.min(start + batchSize, keys.count)]), of: request)
    }
    guard let object = context.loader.instance(of: key) as? Object else {
      stopProgram("a fetch gives objects of its entity")
    }
    return object
  }
}

extension ManagedObjectContext {
  /// The objects that match `request`, in its order, loaded in batches as they are looked at.
  /// Core Data: `fetch(_:)` with a `fetchBatchSize`.
  ///
  /// Which objects match is found out now; of those that an index answers for, no record is read.
  ///
  /// - Parameters:
  ///   - request: the objects to find, and their order.
  ///   - size: how many objects are loaded together.
  /// - Precondition: `size` is 1 or more.
  /// - Throws: as `fetch(_:)`.
  public func fetch<T: _Fetchable>(
    _ request: FetchRequest<T>, inBatchesOf size: Int
  ) throws -> ObjectBatches<T> {
    require(size > 0, "fetch(_:inBatchesOf:) takes 1 object or more, not \(size).")
    return ObjectBatches(
      context: self, request: request, keys: try fetcher.fetchKeys(request), batchSize: size)
  }
}
