// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geonames
import Hummingbird
import Logging
import Strata

/// Serves the cities of a store over HTTP. A store without cities gets the sample's first.
///
/// usage: GazetteerService STORE [PORT]
///
/// SIGTERM and SIGINT end it in order: it accepts no more requests, answers those that it has, ends
/// the streams of live updates, and exits with code 0. It may be killed at any time: each change
/// that it has acknowledged is on the disk.
@main enum GazetteerService {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first, let port = Int(arguments.dropFirst().first ?? "8080") else {
      FileHandle.standardError.write(Data("usage: GazetteerService STORE [PORT]\n".utf8))
      exit(64)
    }
    var logger = Logger(label: "gazetteer")
    logger.logLevel = .notice
    StrataLog.handler = { [logger] message in
      logger.log(level: message.level >= .warning ? .warning : .info, "\(message.text)")
    }

    let coordinator = try PersistentStoreCoordinator(
      at: URL(filePath: path), model: .geonames(), busyTimeout: .seconds(5))
    try await importCitiesIfNeeded(into: coordinator)

    let router = Router()
    router.middlewares.add(ErrorAnswers<BasicRequestContext>())
    CityRoutes(cities: Cities(coordinator: coordinator)).add(to: router)
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        let line = "listening on \(channel.localAddress?.port ?? port)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      },
      logger: logger)
    try await application.runService()
  }

  private static func importCitiesIfNeeded(
    into coordinator: PersistentStoreCoordinator
  ) async throws {
    let queue = ContextQueue(parent: coordinator)
    guard try await queue.perform({ try $0.count(City.all) }) == 0 else { return }
    for batch in try GeonamesImport().batches {
      try await queue.perform { try batch($0) }
    }
    // One commit: a store that has cities has all of them.
    try await queue.save()
  }
}
