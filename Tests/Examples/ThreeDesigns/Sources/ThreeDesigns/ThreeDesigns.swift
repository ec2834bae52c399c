// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geonames
import Strata

/// Imports the same cities in three designs of contexts, and prints the cost of the saves in each.
///
/// usage: ThreeDesigns [FOLDER OF THE TABLES]
@main @MainActor enum ThreeDesigns {
  typealias Design =
    @MainActor (
      _ batches: [GeonamesImport.Batch], _ file: URL, _ costs: inout Costs
    ) async throws -> Screen

  static let designs: [(name: String, run: Design)] = [
    ("two contexts on the store", importWithTwoContextsOnTheStore(_:into:measuring:)),
    ("main above background", importWithMainAboveBackground(_:into:measuring:)),
    ("private root", importWithPrivateRoot(_:into:measuring:)),
  ]

  static func main() async throws {
    let folder = CommandLine.arguments.dropFirst().first.map { URL(filePath: $0) }
    let batches = try GeonamesImport(of: folder ?? GeonamesImport.sampleFolder).batches

    // A container's main context lives until the main actor's next job, so that a store is still in
    // use here. Its file can be removed all the same.
    let stores = URL.temporaryDirectory.appending(path: "three-designs-\(UUID())")
    try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: stores) }

    var lines = [
      ["design", "saves in memory", "saves to disk", "main blocked by saves", "main reads"]
    ]
    for design in designs {
      let store = stores.appending(path: "\(UUID()).strata")
      var costs = Costs()
      let shown = try await design.run(batches, store, &costs)
      try check(shown, of: design.name, against: store)
      lines.append([design.name] + costs.columns)
    }
    printTable(lines)
    print("number × mean, ≤ longest; in milliseconds")
  }

  /// Compares the main context's last screen with the file.
  private static func check(_ shown: Screen, of design: String, against store: URL) throws {
    let container = try PersistentContainer(at: store, model: .geonames(), isReadOnly: true)
    let stored = try Screen(of: container.viewContext)
    print(
      "\(design): \(shown.cityCount) cities shown, \(stored.cityCount) on the disk;",
      shown.largest.joined(separator: ", "))
    guard shown == stored else { throw DesignError(design: design) }
  }

  private static func printTable(_ lines: [[String]]) {
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines {
      let cells = zip(line, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      print(cells.joined(separator: "  "))
    }
  }
}

/// The main context shows something else than the file has.
struct DesignError: Error {
  let design: String
}
