// SPDX-License-Identifier: Apache-2.0

/// The damage of a page.
@usableFromInline
package enum PageFlaw: String, Error, Hashable, Sendable {
  case header = "the file's header is not as LMDB writes it"
  case headers = "the file's two headers are not of two commits in a row"
  case missing = "it is beyond the end of the file"
  case number = "it has another page's number"
  case kind = "it is of another kind than its place in the tree requires"
  case bounds = "the bounds of its entries are impossible"
  case entries = "its entries overlap, have gaps or go beyond it"
  case order = "its keys are not in the order of the tree"
  case value = "a long value is not where its entry says"
  case repeated = "it is used in two places"
  case counts = "the tree has another number of pages or entries than recorded"
  case freePages = "the list of free pages is impossible"
  case seal = "the content is not what the last commit has sealed"
}
