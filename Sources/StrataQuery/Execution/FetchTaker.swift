// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// Takes what a fetch finds, one object after the other in the order of the result, while the fetch is
/// under way: so that no list of records is kept beside the objects made of them.
///
/// - Important: it must not change the read view of the fetch.
package protocol FetchTaker: AnyObject {
  /// Tells how many objects come next.
  func expect(_ count: Int)

  /// Takes an object.
  ///
  /// - Parameter row: valid during the call; nil for an entry of an index whose object is gone.
  func take(_ key: ObjectKey, _ row: Row?) throws
}
