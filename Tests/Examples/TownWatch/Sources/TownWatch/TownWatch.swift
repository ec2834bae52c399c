// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geonames
import Strata

/// Shows the cities of a store and follows the changes that other processes save to it.
///
/// usage: TownWatch STORE [FILTER]
///
/// In a terminal it is a browser; the last line has its keys. Otherwise it prints the cities and
/// then each change as lines, until its input ends.
@main @MainActor enum TownWatch {
  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    guard let path = words.first, words.count <= 2 else {
      FileHandle.standardError.write(Data("usage: TownWatch STORE [FILTER]\n".utf8))
      exit(64)
    }
    // A browser changes nothing, so it needs no permission to.
    let container = try PersistentContainer(
      at: URL(filePath: path), model: .geonames(), isReadOnly: true)
    let context = container.viewContext
    context.automaticallyMergesChangesFromParent = true

    let towns = Towns(context)
    try towns.show(words.count > 1 ? words[1] : "")
    if let terminal = Terminal() {
      try await Browser(towns, in: terminal).run()
    } else {
      await PlainLines(towns).run()
    }
  }
}
