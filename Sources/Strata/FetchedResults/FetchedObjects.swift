// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataPrimitives

/// The objects of a fetched list, or of one section of it: a collection that makes an object when
/// it is asked for, as a fault, and holds none.
///
/// It shows the list as it was when the collection was taken; each access takes O(log n) steps.
///
/// ## Isolation
/// The context's, as its objects.
public struct FetchedObjects<Object: Entity>: RandomAccessCollection {
  private let list: ResultList
  private let range: Range<Int>
  /// Nil only of an empty collection.
  private let context: ManagedObjectContext?

  init(_ list: ResultList, _ range: Range<Int>, in context: ManagedObjectContext?) {
    self.list = list
    self.range = context == nil ? 0..<0 : range
    self.context = context
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { range.count }

  /// The object at `position`, a fault if it is not loaded.
  ///
  /// - Precondition: `position` is one of the list's indexes.
  public subscript(position: Int) -> Object {
    require(
      position >= 0 && position < range.count,
      "The list has \(range.count) objects, and none at index \(position): compare with endIndex.")
    let key = list.entry(at: range.lowerBound + position).key
    guard let object = context?.loader.instance(of: key) as? Object else {
      stopProgram("the objects of a list are of the entity that was fetched")
    }
    return object
  }

  /// The objects' IDs, in the order of the list. No object is made.
  ///
  /// - Complexity: O(objects).
  public var objectIDs: [ObjectID] {
    list.objectIDs(in: range, of: context?.schema.store)
  }
}
