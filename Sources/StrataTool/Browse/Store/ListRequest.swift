// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

/// The part of an entity's objects that a page shows, as the query of its address says.
struct ListRequest {
  static let sizeDefault = 50
  static let sizeMax = 200
  /// The number of matching objects that are counted, at most.
  static let countMax = 10_000
  private static let sortKeyCountMax = 8
  private static let pageMax = 1_000_000_000

  let entity: EntityDescription
  /// The condition in the grammar of `FetchPredicate(format:)`; empty for all objects.
  let condition: String
  /// Properties, the most significant first; `-name` for the greatest first.
  let sort: [String]
  /// From 1.
  let page: Int
  let size: Int
  /// Whether the plan of the fetch is shown.
  let showsPlan: Bool

  init(_ entity: EntityDescription, _ query: FormFields) {
    self.entity = entity
    condition = (query["where"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    sort = (query["sort"] ?? "").split(separator: ",").prefix(Self.sortKeyCountMax).map(String.init)
    (page, size) = Self.window(query)
    showsPlan = query["plan"] != nil
  }

  /// The page's number and its size in a query.
  static func window(_ query: FormFields) -> (page: Int, size: Int) {
    let page = query["page"].flatMap { Int($0) } ?? 1
    let size = query["size"].flatMap { Int($0) } ?? sizeDefault
    return (min(max(page, 1), pageMax), min(max(size, 1), sizeMax))
  }

  /// The objects of the page, and one more, which says that there is a next page.
  ///
  /// - Throws: `PredicateFormatError`.
  func request() throws(PredicateFormatError) -> FetchRequest<ManagedObject> {
    var request = try matching()
    for key in sort {
      let isReversed = key.hasPrefix("-")
      request = request.sorted(
        by: String(isReversed ? key.dropFirst() : key[...]),
        order: isReversed ? .reverse : .forward)
    }
    request.offset = (page - 1) * size
    request.limit = size + 1
    return request
  }

  /// The matching objects, as many as are counted, and one more.
  ///
  /// - Throws: `PredicateFormatError`.
  func countingRequest() throws(PredicateFormatError) -> FetchRequest<ManagedObject> {
    var request = try matching()
    if !condition.isEmpty { request.limit = Self.countMax + 1 }
    return request
  }

  private func matching() throws(PredicateFormatError) -> FetchRequest<ManagedObject> {
    FetchRequest(
      entityName: entity.name,
      condition.isEmpty ? nil : try FetchPredicate(format: condition))
  }

  // MARK: - Addresses

  /// The address of this page.
  var address: PageAddress {
    PageAddress.entity(entity.name)
      .with("where", condition.isEmpty ? nil : condition)
      .with("sort", sort.isEmpty ? nil : sort.joined(separator: ","))
      .with("size", size == Self.sizeDefault ? nil : "\(size)")
      .with("page", page == 1 ? nil : "\(page)")
      .with("plan", showsPlan ? "1" : nil)
  }

  /// The first page in the order of a column: reversed if it is the order already.
  func address(sortedBy column: String) -> PageAddress {
    address.with("sort", sort.first == column ? "-" + column : column).with("page", nil)
  }
}
