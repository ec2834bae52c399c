// SPDX-License-Identifier: Apache-2.0

extension Array {
  /// Joins the elements, of which there is at least one: neighbours in pairs, then neighbouring
  /// pairs, and so on. Each element is part of log₂(count) joins. If a join takes time in the size
  /// of its two sides, joining one by one would take quadratic time.
  ///
  /// - Precondition: the array is not empty.
  package func joinedInPairs(_ join: (Element, Element) -> Element) -> Element {
    var elements = self
    while elements.count > 1 {
      elements = stride(from: 0, to: elements.count, by: 2).map { index in
        index + 1 < elements.count ? join(elements[index], elements[index + 1]) : elements[index]
      }
    }
    return elements[0]
  }
}
