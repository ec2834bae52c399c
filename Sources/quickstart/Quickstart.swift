// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

/// The example of the README. A background context imports tables of the world's cities while the
/// main actor reads. Then the program opens the store again and prints its contents.
@main @MainActor enum Quickstart {
  static func main() async {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      if arguments.wantsHelp { return print(Arguments.help) }
      try await run(arguments)
    } catch let error as QuickstartError {
      printError("\(error)\n")
      exit(error.exitCode)
    } catch {
      printError("quickstart: \(error)\n")
      exit(1)
    }
  }

  private static func run(_ arguments: Arguments) async throws {
    let store = arguments.storeFile
    try makeFolder(store.deletingLastPathComponent())
    print("store \(store.path)")

    let model = try ManagedObjectModel.geonames()
    let reads = try await importWhileReading(arguments.dataFolder, into: store, model)

    // No object of the import is in memory: the following reads come from the disk.
    let container = try PersistentContainer(at: store, model: model)
    for fact in try facts(of: container.viewContext) { print(fact) }
    print("ui-reads \(reads.count)")
    print("ui-read-max-us \(Int(reads.longest / .microseconds(1)))")
  }

  private static func importWhileReading(
    _ folder: URL, into store: URL, _ model: ManagedObjectModel
  ) async throws -> UIReads {
    let container = try PersistentContainer(at: store, model: model)
    let reading = Task { try await UIReads.untilCancelled(in: container.viewContext) }
    defer { reading.cancel() }
    print("imported \(try await Import(of: folder, into: container).run())")
    reading.cancel()
    return try await reading.value
  }

  /// Creates the folder of the store. A store creates its file, but not the folder.
  private static func makeFolder(_ folder: URL) throws(QuickstartError) {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .noStoreFolder(path: folder.path, problem: error.localizedDescription)
    }
  }
}
