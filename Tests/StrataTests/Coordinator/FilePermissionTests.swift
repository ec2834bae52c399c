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
    try MigrationPlan().migrateCopy(
      ofStoreAt: url, to: geographyModel(), at: folder.file("migrated"))
    #expect(try permissions(folder.file("migrated")) == 0o600)
  }

  /// A user who may only read the data file writes to the lock file, if it is one of the group.
  @Test(arguments: [
    (0o600, 0o600), (0o660, 0o660), (0o640, 0o660), (0o644, 0o664), (0o664, 0o664),
    (0o666, 0o666), (0o400, 0o600),
  ])
  func `may be used by others if the data file may, and the lock file follows`(
    data: mode_t, lock: mode_t
  ) throws {
    try open().store.close()
    try FileManager.default.removeItem(at: folder.file("store-lock"))
    chmod(url.path, data)
    let coordinator = try open()
    defer { coordinator.store.close() }
    #expect(try permissions(url) == data)
    #expect(try permissions(folder.file("store-lock")) == lock)
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
}

/// What can have the name of a store's lock file.
private enum Stranger: CaseIterable {
  case link, danglingLink, hardLink, text, zerosAndText, long, folder, queue, socket, device

  /// Those that the process may make: a device only as root, and in some containers not even then.
  static let possible: [Stranger] = {
    guard let folder = try? TemporaryDirectory() else { return allCases }
    let isPossible = makeDevice(at: folder.file("device"))
    return allCases.filter { $0 != .device || isPossible }
  }()

  /// Makes another `/dev/null`.
  private static func makeDevice(at url: URL) -> Bool {
    var status = stat()
    guard stat("/dev/null", &status) == 0 else { return false }
    return mknod(url.path, S_IFCHR | 0o600, status.st_rdev) == 0
  }

  /// Makes it at a path; `value` is a file of value.
  func make(at url: URL, _ value: URL) throws {
    let files = FileManager.default
    switch self {
    case .link: try files.createSymbolicLink(at: url, withDestinationURL: value)
    case .danglingLink:
      try files.createSymbolicLink(at: url, withDestinationURL: value.appendingPathComponent("no"))
    case .hardLink: try files.linkItem(at: value, to: url)
    case .text: try Data("mine".utf8).write(to: url)
    case .zerosAndText: try (Data(count: 5_000) + Data("mine".utf8)).write(to: url)
    case .long: try Data(count: 1 << 20).write(to: url)
    case .folder: try files.createDirectory(at: url, withIntermediateDirectories: false)
    case .queue: #expect(mkfifo(url.path, 0o600) == 0)
    case .device: #expect(Self.makeDevice(at: url))
    case .socket:
      let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(url.path.utf8)) }
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(result == 0)
    }
  }
}

@Suite struct `A file that has the name of a store's lock file, and is none` {
  private let folder: TemporaryDirectory
  private let url: URL
  private let lock: URL
  private let value: URL
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryDirectory()
    (url, lock, value) = (folder.file("store"), folder.file("store-lock"), folder.file("value"))
    model = try geographyModel()
    try PersistentStoreCoordinator(at: url, model: model).store.close()
    try FileManager.default.removeItem(at: lock)
    try Data("a file of value".utf8).write(to: value)
  }

  /// Whether the error names the file.
  private func isNamed(_ error: any Error) -> Bool {
    guard case StoreError.storage(let failure) = error else { return false }
    return failure.description.contains("The file at \(lock.path) has the name of its lock file")
  }

  @Test(arguments: Stranger.possible)
  private func `is named by all that need the lock, and is not changed`(stranger: Stranger) throws {
    try stranger.make(at: lock, value)
    func look() throws -> (mode_t, off_t, Data?) {
      var status = stat()
      try #require(lstat(lock.path, &status) == 0)
      let isFile = status.st_mode & S_IFMT == S_IFREG
      return (status.st_mode, status.st_size, isFile ? try Data(contentsOf: lock) : nil)
    }
    let before = try look()
    let other = folder.file("other")
    #expect { try PersistentStoreCoordinator(at: url, model: model) } throws: { isNamed($0) }
    #expect { try ManagedObjectModel(ofStoreAt: url) } throws: { isNamed($0) }
    #expect { try PersistentStoreCoordinator.copyStore(at: url, to: other) } throws: { isNamed($0) }
    #expect { try PersistentStoreCoordinator.moveStore(at: url, to: other) } throws: { isNamed($0) }
    #expect { try PersistentStoreCoordinator.destroyStore(at: url) } throws: { isNamed($0) }
    #expect(try look() == before)
    #expect(try Data(contentsOf: value) == Data("a file of value".utf8))
    #expect(FileManager.default.fileExists(atPath: url.path))
    #expect(!FileManager.default.fileExists(atPath: other.path))
    try FileManager.default.removeItem(at: lock)
    try PersistentStoreCoordinator(at: url, model: model).store.close()
  }

  /// A process dies after it has made the file, has given it its length, or has begun with mutexes.
  @Test(arguments: [0, 1, 8_192, 65_536], [0, 7])
  func `is none if it has only zeros, as a process leaves it that dies`(
    byteCount: Int, mutex: UInt8
  ) throws {
    var bytes = Data(count: byteCount)
    if byteCount > 200 { bytes[40] = mutex }
    try bytes.write(to: lock)
    try PersistentStoreCoordinator(at: url, model: model).store.close()
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
