// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of ComingFromSwiftData.md, part by part.
@Suite struct `The guide for users of SwiftData` {
  // begin model
  @Entity final class Trip: ManagedObject {
    @Attribute(.unique) var name: String
    var start: Date?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: ToMany<Stop>
  }

  @Entity final class Stop: ManagedObject {
    var place: String
    var trip: Trip?
  }
  // end

  // begin actor
  actor TripImporter: ContextActor {
    let executor: ContextExecutor

    init(container: PersistentContainer) {
      executor = ContextExecutor(parent: container.root)
    }

    func add(_ names: [String]) async throws {
      for name in names { try context.upsert(Trip.self, matching: \.name, equals: name) }
      try await context.save(to: .store)
    }
  }
  // end

  @Test @MainActor func `does what SwiftData's code does`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("Trips.strata")
    // begin container
    let container = try PersistentContainer(
      at: url, model: ManagedObjectModel(Trip.self, Stop.self),
      autosave: .afterEachPush(coalescingFor: .seconds(1)))
    let context = container.viewContext
    // end

    // begin inserting
    let trip = Trip(context: context)
    trip.name = "Silk Road"
    let stop = Stop(context: context)
    stop.place = "Yazd"
    trip.stops.insert(stop)
    try context.save()  // to the root, which saves itself to the disk about a second later
    // end

    // begin fetching
    let prefix = "Silk"
    let request = try FetchRequest(
      #Predicate<Trip> { $0.name.starts(with: prefix) }, sortBy: [SortDescriptor(\.name)])
    let trips = try context.fetch(request)
    let same = try context.fetch(Trip.where { $0.name.hasPrefix(prefix) }.sorted(by: \.name))
    // end
    #expect(trips == [trip])
    #expect(same == trips)

    // begin importing
    let importer = TripImporter(container: container)
    try await importer.add(["Silk Road", "Alps"])
    // end

    // begin query
    let names = Trip.all.sorted(by: \.name).select(\.name)
    for try await names in container.root.values(of: names) {
      print(names)  // at once, and after each change
      break
    }
    // end
    #expect(try context.fetch(names) == ["Alps", "Silk Road"])
    try await container.flush()
  }
}
