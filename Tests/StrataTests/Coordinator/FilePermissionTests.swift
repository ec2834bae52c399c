// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private func permissions(_ url: URL) throws -> mode_t {
  var status = stat()
  try #require(stat(url.path, &status) == 0, "\(url.path)")
  return status.st_mode & 0o777
}

@Suite struct `The files of a store` {
  private let folder: TemporaryDirectory
  private let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("store")
  }

  private func open() throws -> PersistentStoreCoordinator {
    try PersistentStoreCoordinator(at: url, model: geographyModel(), durability: .none)
  }

  @Test(arguments: [false, true])
  func `are their owner's alone, and so are backups`(compacting: Bool) throws {
    let coordinator = try open()
    let backup = folder.file("backup")
    try coordinator.backUp(to: backup, compacting: compacting)
    #expect(try permissions(url) == 0o600)
    #expect(try permissions(folder.file("store-lock")) == 0o600)
    #expect(try permissions(backup) == 0o600)
    try PersistentStoreCoordinator.copyStore(at: url, to: folder.file("copy"))
    #expect(try permissions(folder.file("copy")) == 0o600)
  }

  @Test func `may be used by a group if the data file may, and the lock file follows`() throws {
    try open().store.close()
    try FileManager.default.removeItem(at: folder.file("store-lock"))
    chmod(url.path, 0o660)
    let coordinator = try open()
    defer { coordinator.store.close() }
    #expect(try permissions(url) == 0o660)
    #expect(try permissions(folder.file("store-lock")) == 0o660)
  }

  @Test func `may be read by a group if the data file may, which writes to the lock file`() throws {
    try open().store.close()
    try FileManager.default.removeItem(at: folder.file("store-lock"))
    chmod(url.path, 0o640)
    let coordinator = try open()
    defer { coordinator.store.close() }
    #expect(try permissions(folder.file("store-lock")) == 0o660)
  }

  @Test func `keep their permissions when another store replaces them`() throws {
    try open().store.close()
    chmod(url.path, 0o640)
    let other = folder.file("other")
    try PersistentStoreCoordinator(at: other, model: geographyModel(), durability: .none)
      .store.close()
    try PersistentStoreCoordinator.replaceStore(at: url, withStoreAt: other)
    #expect(try permissions(url) == 0o640)
  }

  @Test func `have no lock file that leads to another file`() throws {
    try open().store.close()
    let victim = folder.file("victim")
    try Data("mine".utf8).write(to: victim)
    try FileManager.default.removeItem(at: folder.file("store-lock"))
    try FileManager.default.createSymbolicLink(
      at: folder.file("store-lock"), withDestinationURL: victim)
    #expect { try open() } throws: {
      if case StoreError.storage = $0 { true } else { false }
    }
    #expect(try Data(contentsOf: victim) == Data("mine".utf8))
  }
}

@Suite struct `A URL that is no file's` {
  @Test func `is refused, and the file with its path is left alone`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let model = try geographyModel()
    let coordinator = try PersistentStoreCoordinator(at: url, model: model, durability: .none)
    let web = try #require(URL(string: "https://example.org" + url.path))
    let isRefused = { (error: any Error) in
      if case StoreError.notAFileURL(web.absoluteString) = error { true } else { false }
    }
    #expect { try PersistentStoreCoordinator(at: web, model: model) } throws: { isRefused($0) }
    #expect {
      try PersistentStoreCoordinator(
        stores: [PersistentStoreDescription(at: web)], model: model)
    } throws: {
      isRefused($0)
    }
    #expect { try coordinator.backUp(to: web) } throws: { isRefused($0) }
    coordinator.store.close()
    #expect { try PersistentStoreCoordinator.destroyStore(at: web) } throws: { isRefused($0) }
    #expect {
      try PersistentStoreCoordinator.copyStore(at: url, to: web)
    } throws: {
      isRefused($0)
    }
    #expect {
      try PersistentStoreCoordinator.replaceStore(at: web, withStoreAt: url)
    } throws: {
      isRefused($0)
    }
    #expect { try PersistentStoreCoordinator.moveStore(at: url, to: web) } throws: { isRefused($0) }
    #expect { _ = try ManagedObjectModel(ofStoreAt: web) } throws: { isRefused($0) }
    #expect(FileManager.default.fileExists(atPath: url.path))
  }
}
