// SPDX-License-Identifier: Apache-2.0

/// How much the sender of a push knew of the state beneath the receiver.
package struct SenderPosition: Sendable {
  /// The positions in the feeds of the receiver's ancestors, near to far.
  package let bookmarks: [ChangeFeed.Bookmark]
  /// The generation of each store.
  package let generations: [UInt64]

  package init(bookmarks: [ChangeFeed.Bookmark], generations: [UInt64]) {
    self.bookmarks = bookmarks
    self.generations = generations
  }
}
