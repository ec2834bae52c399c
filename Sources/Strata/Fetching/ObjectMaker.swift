// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataQuery
import StrataRecord

/// Makes the objects of a fetch out of what it finds, each while it is found.
///
/// It exists so that a record is copied once, from the page of the store to under the object, and not at
/// all where the object has values already.
///
/// ## Isolation
/// The context's, for the length of a fetch.
final class ObjectMaker: FetchTaker {
  private let context: ManagedObjectContext
  // Safety: `@exclusivity(unchecked)` spares each object several run-time checks. A maker is of one
  // fetch, and no access to these runs code that could reach it again.
  /// What was made, in the order of the fetch.
  @exclusivity(unchecked) private(set) var objects: [ManagedObject] = []
  /// The records of one fetch share blocks.
  @exclusivity(unchecked) private var arena = RecordArena()

  /// - Parameter count: how many objects are expected; 0 if nobody knows.
  init(in context: ManagedObjectContext, expecting count: Int) {
    self.context = context
    if count > 0 {
      context.cache.reserve(count)
      objects.reserveCapacity(count)
    }
  }

  func take(_ key: ObjectKey, generation: UInt64, copying bytes: UnsafeRawBufferPointer) {
    let object = context.instance(of: key, generation: generation) { arena.append(copying: bytes) }
    if let object { objects.append(object) }
  }

  func take(_ key: ObjectKey, _ record: StoredRecord?) {
    let object =
      record.map { stored in
        context.instance(of: key, generation: stored.generation) { stored.record }
      } ?? context.instance(of: key)
    if let object { objects.append(object) }
  }
}
