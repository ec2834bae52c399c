// SPDX-License-Identifier: Apache-2.0
import Geonames
import Strata

/// The cities of a store. Each call has a context of its own, directly below the coordinator: it
/// reads the last commit, and a change is on the disk when the call returns.
///
/// A context is not Sendable, and here it need not be: no call keeps its context, or gives objects
/// to its caller. Answers are values.
struct Cities: Sendable {
  /// How often a change is tried if others change the same cities at the same time.
  static let attemptCountMax = 100

  let coordinator: PersistentStoreCoordinator

  // MARK: - Reading

  func city(_ id: Int) throws -> CityAnswer {
    let context = ManagedObjectContext(parent: coordinator)
    return CityAnswer(try find(id, in: context))
  }

  /// Returns the cities that follow `id` in the order of IDs. A page begins where the last one has
  /// ended, also if cities were inserted or deleted in between, and costs the same at any place:
  /// the index of IDs leads to its first city. With a country, the page is chosen from all cities
  /// of the country; an index over both properties would lead to it.
  func page(after id: Int, of country: String?, count: Int) throws -> PageAnswer {
    let context = ManagedObjectContext(parent: coordinator)
    var request = City.where { $0.geonameID > id }
    if let country { request = request.where { $0.country.iso == country } }
    let cities = try context.fetch(request.sorted(by: \.geonameID).limit(count + 1))
    return PageAnswer(
      cities: cities.prefix(count).map { CityAnswer($0) },
      next: cities.count > count ? cities[count - 1].geonameID : nil)
  }

  /// The largest cities of a country, now and after each change of them.
  func largest(of country: String, count: Int) -> LiveValues<[(Int, String, Int)]> {
    coordinator.values(
      of: City.where { $0.country.iso == country }
        .sorted(by: \.population, order: .reverse).sorted(by: \.geonameID)
        .limit(count).select(\.geonameID, \.name, \.population))
  }

  // MARK: - Changing

  func insert(_ new: NewCity) async throws -> CityAnswer {
    do {
      return try await change { context in
        let city = City(context: context)
        city.geonameID = new.geonameID
        city.name = new.name
        city.population = new.population
        city.country = try context.first(Country.where { $0.iso == new.country })
        guard city.country != nil else { throw ServiceError.noSuchCountry(new.country) }
        return CityAnswer(city)
      }
    } catch StoreError.uniquenessViolations {
      throw ServiceError.cityExists(new.geonameID)
    }
  }

  func grow(_ id: Int, by people: Int) async throws -> CityAnswer {
    try await change { context in
      let city = try find(id, in: context)
      let (population, isTooLarge) = city.population.addingReportingOverflow(people)
      guard !isTooLarge, population >= 0 else { throw ServiceError.invalid("people") }
      city.population = population
      return CityAnswer(city)
    }
  }

  func delete(_ id: Int) async throws {
    try await change { context in context.delete(try find(id, in: context)) }
  }

  private func find(_ id: Int, in context: ManagedObjectContext) throws -> City {
    guard let city = try context.first(City.where { $0.geonameID == id }) else {
      throw ServiceError.noSuchCity(id)
    }
    return city
  }

  /// Runs `body` in a new context and saves the context to the disk.
  ///
  /// If another request has changed the same objects in between, the save has written nothing.
  /// `body` then runs again, with the new values: an edit such as a counter has to be computed
  /// again. It does so at once: all that have lost read the state of the same commit, and have
  /// the same chance in the next one. After a pause it would read in the middle of another
  /// commit, which is the next conflict. The task is released while the disk works, and
  /// simultaneous saves share a commit.
  ///
  /// - Throws: the errors of `body` and of the save; `ServiceError.contended` after
  ///   `attemptCountMax` attempts.
  private func change<Answer>(
    _ body: (ManagedObjectContext) throws -> Answer
  ) async throws -> Answer {
    for _ in 0..<Self.attemptCountMax {
      let context = ManagedObjectContext(parent: coordinator)
      let answer = try body(context)
      do {
        try await context.save(to: .store)
        return answer
      } catch StoreError.conflicts {
        continue
      }
    }
    throw ServiceError.contended
  }
}
