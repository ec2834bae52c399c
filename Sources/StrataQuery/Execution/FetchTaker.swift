// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// A receiver of the objects of a fetch, one at a time in the order of the result. A list of
/// records beside the objects that are created from them is not needed.
///
/// - Important: it must not change the read view of the fetch.
package protocol FetchTaker: AnyObject {
  /// Announces the number of objects that follow.
  func expect(_ count: Int)

  /// Receives an object.
  ///
  /// - Parameter row: the object's row, valid during the call; nil for an index entry of an object
  ///   that does not exist.
  func take(_ key: ObjectKey, _ row: Row?) throws
}
