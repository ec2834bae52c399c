// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geonames
import Strata

/// The live list as lines, where there is no terminal: the cities, then each change until the
/// input ends.
@MainActor struct PlainLines {
  private let towns: Towns

  init(_ towns: Towns) { self.towns = towns }

  func run() async {
    let updates = towns.list.updates()
    for city in towns.cities { write("  \(line(of: city))") }
    let following = Task {
      for await update in updates { show(update.difference) }
    }
    await inputEnded()
    following.cancel()
  }

  private func show(_ difference: FetchedResultsDifference) {
    for deletion in difference.deletions { write("- number \(deletion.indexPath.item + 1)") }
    for insertion in difference.insertions { writeCity("+", at: insertion.indexPath.item) }
    for step in difference.moves + difference.updates { writeCity("~", at: step.to.item) }
  }

  /// A later change may have taken the place away already.
  private func writeCity(_ sign: String, at place: Int) {
    if towns.cities.indices.contains(place) { write("\(sign) \(line(of: towns.cities[place]))") }
  }

  /// Writes at once: a reader of the lines waits for each change.
  private func write(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private func line(of city: City) -> String {
    "\(city.name.plain), \(city.country?.name.plain ?? "no country"), \(city.population)"
  }

  @concurrent private nonisolated func inputEnded() async {
    while readLine() != nil {}
  }
}
