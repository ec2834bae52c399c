// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel

/// A list as plain Swift has it: the plants that a context fetches without any condition, filtered,
/// sorted and grouped by the values that they show.
struct FetchedListOracle {
  let name: String
  let request: FetchRequest<Plant>
  let make: (FetchRequest<Plant>, ManagedObjectContext) -> FetchedResultsController<Plant>
  /// Whether a plant is in the list.
  var isIn: (Plant) -> Bool = { _ in true }
  /// Whether one plant comes before another in the order of the request, as far as that tells.
  let precedes: (Plant, Plant) -> Bool
  /// The name of a plant's section, and its place among the sections; nil for a list without.
  var section: ((Plant) -> String?)?
  /// Whether the list is in the order of its sections before the request's.
  var isOrderedBySection = false

  /// The expected list; nil if its sections are not contiguous.
  func sections(in context: ManagedObjectContext) throws -> [FetchedListReplay.Section]? {
    var plants = try context.fetch(Plant.all).filter(isIn)
    plants.sort { precedes($0, $1) || !precedes($1, $0) && $0.id.key < $1.id.key }
    plants = Array(plants.dropFirst(request.offset).prefix(request.limit ?? .max))
    guard let section else {
      return [FetchedListReplay.Section(name: nil, ids: plants.map(\.objectID))]
    }
    if isOrderedBySection {
      let names = Set(plants.map(section)).sorted { ($0 ?? "") < ($1 ?? "") }
      return names.map { name in
        FetchedListReplay.Section(
          name: name, ids: plants.filter { section($0) == name }.map(\.objectID))
      }
    }
    var sections: [FetchedListReplay.Section] = []
    for plant in plants {
      let name = section(plant)
      if let last = sections.last, last.name == name {
        sections[sections.count - 1].ids.append(plant.objectID)
      } else {
        sections.append(FetchedListReplay.Section(name: name, ids: [plant.objectID]))
      }
    }
    return Set(sections.map(\.name)).count == sections.count ? sections : nil
  }
}

extension FetchedListOracle {
  /// Lists of all kinds.
  static var all: [FetchedListOracle] {
    [
      FetchedListOracle(
        name: "by name", request: Plant.all.sorted(by: \.name), make: plain,
        precedes: { $0.name < $1.name }),
      FetchedListOracle(
        name: "by bed and height",
        request: Plant.all.sorted(by: \.bed).sorted(by: \.height, order: .reverse),
        make: { FetchedResultsController($0, context: $1, sectionNameKeyPath: { $0.bed }) },
        precedes: {
          $0.bed == $1.bed ? $0.height > $1.height : ($0.bed ?? " ") < ($1.bed ?? " ")
        }, section: \.bed),
      FetchedListOracle(
        name: "rare ones by bed, descending",
        request: Plant.where { $0.isRare == true }.sorted(by: \.bed, order: .reverse),
        make: { FetchedResultsController($0, context: $1, sectionNameKeyPath: { $0.bed }) },
        isIn: \.isRare, precedes: { ($0.bed ?? " ") > ($1.bed ?? " ") }, section: \.bed),
      FetchedListOracle(
        name: "by gardener", request: Plant.all.sorted(by: \.name),
        make: {
          FetchedResultsController($0, context: $1, sectionNameKeyPath: { $0.gardener.name })
        },
        precedes: { $0.name < $1.name }, section: \.keeper?.name, isOrderedBySection: true),
      FetchedListOracle(
        name: "by firm, of old gardeners",
        request: Plant.where { $0.gardener.age > 5 }.sorted(by: \.height),
        make: {
          FetchedResultsController($0, context: $1, sectionNameKeyPath: { $0.gardener.firm.name })
        },
        isIn: { ($0.keeper?.age ?? 0) > 5 }, precedes: { $0.height < $1.height },
        section: \.keeper?.employer?.name, isOrderedBySection: true),
      FetchedListOracle(
        name: "of a firm", request: Plant.where { $0.gardener.firm.name == "g" || $0.height > 7 },
        make: plain, isIn: { $0.keeper?.employer?.name == "g" || $0.height > 7 },
        precedes: { _, _ in false }),
      FetchedListOracle(
        name: "by initial", request: Plant.all.sorted(by: \.name, order: .reverse),
        make: { FetchedResultsController($0, context: $1, sectionName: \.initial) },
        precedes: { $0.name > $1.name }, section: \.initial),
      FetchedListOracle(
        name: "by height, named by bed", request: Plant.all.sorted(by: \.height),
        make: { FetchedResultsController($0, context: $1, sectionName: \.bed) },
        precedes: { $0.height < $1.height }, section: \.bed),
      FetchedListOracle(
        name: "a window by bed", request: Plant.all.sorted(by: \.bed).offset(1).limit(4),
        make: { FetchedResultsController($0, context: $1, sectionNameKeyPath: { $0.bed }) },
        precedes: { ($0.bed ?? " ") < ($1.bed ?? " ") }, section: \.bed),
      FetchedListOracle(
        name: "with heavy tools", request: Plant.where { $0.tools.any { $0.weight > 4 } },
        make: plain,
        isIn: { $0.tools.contains { $0.weight > 4 } }, precedes: { _, _ in false }),
      FetchedListOracle(
        name: "of busy gardeners",
        request: Plant.where { $0.gardener.plants.count > 2 }.sorted(by: \.height, order: .reverse),
        make: plain, isIn: { ($0.keeper?.plants.count ?? 0) > 2 },
        precedes: { $0.height > $1.height }),
      FetchedListOracle(
        name: "by the gardener's name",
        request: Plant.all.sorted(by: \.gardener?.name, order: .reverse).sorted(by: \.height),
        make: plain,
        precedes: {
          let (one, two) = ($0.keeper?.name ?? " ", $1.keeper?.name ?? " ")
          return one == two ? $0.height < $1.height : one > two
        }),
      FetchedListOracle(
        name: "by the number of tools", request: Plant.all.sorted(by: { $0.tools.count }),
        make: plain, precedes: { $0.tools.count < $1.tools.count }),
      FetchedListOracle(
        name: "by firm, a window",
        request: Plant.all.sorted(by: { $0.gardener.firm.name }).offset(1).limit(5), make: plain,
        precedes: { ($0.keeper?.employer?.name ?? " ") < ($1.keeper?.employer?.name ?? " ") }),
    ]
  }

  private static func plain(
    _ request: FetchRequest<Plant>, _ context: ManagedObjectContext
  ) -> FetchedResultsController<Plant> {
    FetchedResultsController(request, context: context)
  }
}

extension Plant {
  /// The gardener, unless that is deleted: a fetch finds none then.
  fileprivate var keeper: Gardener? {
    guard let gardener else { return nil }
    // A fault knows when it has fired.
    _ = gardener.name
    return gardener.isDeleted ? nil : gardener
  }
}

extension Gardener {
  fileprivate var employer: Firm? {
    guard let firm else { return nil }
    _ = firm.name
    return firm.isDeleted ? nil : firm
  }
}
