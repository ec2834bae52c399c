// SPDX-License-Identifier: Apache-2.0
import Strata
import Synchronization

/// A Strata store of all persons that Strata's own workloads read and do not change; made when it
/// is first wanted. Nothing of it is about the disk, so it is not durable.
final class ReferenceStore: Sendable {
  struct Contents: Sendable {
    let coordinator: PersistentStoreCoordinator
    /// In order of serial, from 1.
    let personIDs: [ObjectID]
    let companyIDs: [ObjectID]
  }

  private let people: People
  private let folder: Folder
  private let made = Mutex<Contents?>(nil)

  init(_ people: People, in folder: Folder) {
    self.people = people
    self.folder = folder
  }

  func contents() throws -> Contents {
    try made.withLock { made in
      if let made { return made }
      let coordinator = try PersistentStoreCoordinator(
        at: folder.file("reference.strata"), model: .people(), durability: .none)
      let ids = try insertPeople(
        people, 1...people.scale, perSave: people.scale, companyIDs: [], below: coordinator)
      let contents = Contents(
        coordinator: coordinator, personIDs: ids.persons, companyIDs: ids.companies)
      made = contents
      return contents
    }
  }
}
