// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of ComingFromCoreData.md, part by part.
@Suite struct `The guide for users of Core Data` {
  // begin model
  @Entity final class Trip: ManagedObject {
    @Attribute(.indexed) var name: String
    var start: Date?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: OrderedToMany<Stop>
  }

  @Entity final class Stop: ManagedObject {
    var place: String
    var trip: Trip?
  }
  // end

  @Test @MainActor func `does what Core Data's code does`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("Trips.strata")
    // begin container
    let container = try PersistentContainer(
      at: url, model: ManagedObjectModel(Trip.self, Stop.self))
    let view = container.viewContext
    view.automaticallyMergesChangesFromParent = true
    // end

    // begin inserting
    let trip = Trip(context: view)
    trip.name = "Silk Road"
    let stop = Stop(context: view)
    (stop.place, stop.trip) = ("Yazd", trip)
    try view.save()
    try await container.root.save()
    // end

    // begin fetching
    let request = Trip.where { $0.name.hasPrefix("Silk") }.sorted(by: \.name)
    let trips = try view.fetch(request)
    // end
    #expect(trips == [trip])

    // begin background
    let id = trip.objectID
    try await container.performBackgroundTask { context in
      let trip = try context.existingObject(Trip.self, with: id)
      trip.name = "Silk Road, 2nd leg"
      try context.save()  // to the root; the view context merges it
    }
    try await container.flush()  // the root, to the disk
    // end
    view.processPendingChanges()
    #expect(trip.name == "Silk Road, 2nd leg")

    // begin batch
    try await container.coordinator.execute(
      BatchUpdateRequest(Trip.where { $0.start == nil }).setting(\.start, to: Date()))
    // end
    view.processPendingChanges()
    #expect(trip.start != nil)
    let shown = Shown()
    // begin list
    let list = FetchedResultsController(Trip.all.sorted(by: \.name), context: view)
    list.delegate = shown
    try list.performFetch()
    // end
    Trip(context: view).name = "Alps"
    view.processPendingChanges()
    #expect(shown.insertions == 1)
    #expect(list.fetchedObjects.map(\.name) == ["Alps", "Silk Road, 2nd leg"])
  }

  final class Shown: @MainActor FetchedResultsControllerDelegate {
    var insertions = 0

    @MainActor func controller(
      _ controller: FetchedResultsController<Trip>,
      didChangeContentWith difference: FetchedResultsDifference
    ) {
      insertions += difference.insertions.count
    }
  }
}
