// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataStore
import StrataTestSupport
import Testing

@Suite struct `A store whose file is replaced while it is open` {
  enum Replacement: CaseIterable { case createdAgain, restoredByRename }

  private let directory: TemporaryDirectory
  private var path: String { directory.file("geography.strata").path }
  private var backup: String { directory.file("backup").path }

  init() throws { directory = try TemporaryDirectory() }

  /// A container with one city saved, of which there is a backup.
  private func saved() throws -> PersistentContainer {
    let container = try geography(in: directory)
    try container.root.performAndWait { context in
      context.city("saved")
      try context.save()
    }
    try FileManager.default.copyItem(atPath: path, toPath: backup)
    return container
  }

  private func replace(by replacement: Replacement) throws {
    if replacement == .createdAgain {
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: backup, toPath: path)
    } else {
      guard rename(backup, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
  }

  private func isReplaced(_ error: any Error) -> Bool {
    guard case StoreError.fileReplaced(let path) = error else { return false }
    return path.hasSuffix("geography.strata") && "\(error)".contains("open it again")
  }

  @Test(arguments: Replacement.allCases)
  func `refuses to save, and unsaved changes stay`(_ replacement: Replacement) throws {
    let container = try saved()
    try container.root.performAndWait { context in
      context.city("lost")
      try replace(by: replacement)
      for _ in 0..<2 { #expect { try context.save() } throws: { isReplaced($0) } }
      #expect(context.insertedObjects.count == 1)
    }
  }

  @Test(arguments: Replacement.allCases)
  func `is opened again as the file that is now at the path`(_ replacement: Replacement) throws {
    var container: PersistentContainer? = try saved()
    try container?.root.performAndWait { context in
      context.city("in a file without a name")
      try context.save()
    }
    try replace(by: replacement)
    #expect { try geography(in: directory) } throws: { isReplaced($0) }
    container = nil
    let reopened = try geography(in: directory)
    try reopened.root.performAndWait { context in
      #expect(try context.cityNames() == ["saved"])
      context.city("also saved")
      try context.save()
    }
  }

  @Test func `refuses to delete in a batch`() async throws {
    let container = try saved()
    try replace(by: .restoredByRename)
    await #expect {
      try await container.coordinator.execute(BatchDeleteRequest(City.all))
    } throws: {
      isReplaced($0)
    }
  }
}

@Suite struct `A store whose file is cut off while it is open` {
  private let directory: TemporaryDirectory
  private let container: PersistentContainer
  private let ids: [ObjectID]

  /// Cuts off a file of 3,000 cities, none of which has been read.
  init() throws {
    directory = try TemporaryDirectory()
    container = try geography(in: directory)
    let writer = ManagedObjectContext(parent: container.coordinator)
    for number in 0..<3_000 { writer.city("city \(number)", population: number) }
    try writer.save()
    ids = try writer.fetchIDs(City.all)
    let path = directory.file("geography.strata").path
    try #require(truncate(path, 4_096 * 6) == 0)
  }

  private func isDamage(_ error: any Error) -> Bool {
    if case StoreError.damaged = error { true } else { false }
  }

  @Test func `says so when it is read`() throws {
    let context = ManagedObjectContext(parent: container.coordinator)
    #expect { try context.fetch(City.all) } throws: { isDamage($0) }
    #expect { try context.count(City.where { $0.population > 7 }) } throws: { isDamage($0) }
  }

  @Test func `says so after a getter could not read it`() throws {
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = try context.object(City.self, with: ids[1_500])
    #expect(city.population == 0)
    #expect { try context.save() } throws: { isDamage($0) }
  }

  @Test func `says so when it is saved to, and unsaved changes stay`() throws {
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = context.city("unsaved")
    for _ in 0..<2 { #expect { try context.save() } throws: { isDamage($0) } }
    #expect(context.insertedObjects == [city] && city.name == "unsaved")
  }

  @Test func `says so to a batch`() throws {
    #expect {
      try container.coordinator.execute(BatchDeleteRequest(City.all))
    } throws: {
      isDamage($0)
    }
  }
}
