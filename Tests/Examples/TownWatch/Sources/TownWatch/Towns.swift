// SPDX-License-Identifier: Apache-2.0
import Geonames
import Strata

/// The live list of the cities whose names contain a text, the largest first.
@MainActor final class Towns {
  private let context: ManagedObjectContext
  private(set) var filter = ""
  private(set) var list: FetchedResultsController<City>

  init(_ context: ManagedObjectContext) {
    self.context = context
    list = FetchedResultsController(City.all.sorted(by: \.population), context: context)
  }

  /// Shows the cities whose names contain `filter`, whatever their case and accents; all cities if
  /// it is empty.
  func show(_ filter: String) throws {
    self.filter = filter
    let matching =
      filter.isEmpty
      ? City.all
      : City.where { $0.name.contains(filter, options: [.caseInsensitive, .diacriticInsensitive]) }
    list = FetchedResultsController(
      matching.sorted(by: \.population, order: .reverse).sorted(by: \.geonameID),
      context: context)
    try list.performFetch()
  }

  var cities: FetchedObjects<City> { list.fetchedObjects }

  /// Returns the place of a city in the list; nil if it is not shown.
  func place(of id: ObjectID) -> Int? { list.indexPath(for: id)?.item }
}
