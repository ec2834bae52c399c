// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataTestSupport

/// A folder of small tables: two continents, three countries in a row, and as many cities as
/// wanted.
///
/// City i, from 1, stands in line i + 1 of its table and has the population i.
struct DataFolder {
  let directory: TemporaryDirectory
  private(set) var cities: [String]

  init(cityCount: Int) throws {
    directory = try TemporaryDirectory()
    cities = (1...cityCount).map { index in
      let country = ["AA", "BB", "CC"][index % 3]
      return "\(index)\tCity \(index)\t1.5\t-2.5\t\(country)\t\(index)\tZone/\(index % 5)\t"
    }
  }

  /// Replaces the row in `line` of cities.tsv.
  mutating func setLine(_ line: Int, _ row: String) { cities[line - 2] = row }

  /// Writes the tables.
  ///
  /// - Returns: the folder's path.
  func write() throws -> String {
    func write(_ name: String, _ lines: [String]) throws {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: directory.file(name))
    }
    try write("continents.tsv", ["code\tname", "XX\tLeft", "YY\tRight"])
    try write(
      "countries.tsv",
      [
        "iso\tiso3\tisonumeric\tname\tcapital\tareakm2\tpopulation\tcontinentcode\tcurrencycode"
          + "\tcurrencyname\tlanguages\tneighbours",
        "AA\tAAA\t1\tAland\t\t10\t100\tXX\tAAC\tCrown\taa,bb\tBB",
        // Does not name AA, which names it.
        "BB\tBBB\t2\tBland\tB-Town\t0.5\t200\tXX\t\t\tbb\tCC",
        "CC\tCCC\t3\tCland\tC-Town\t30\t300\tYY\tCCC\tCoin\t\tBB",
      ])
    try write(
      "cities.tsv",
      ["geonameid\tname\tlatitude\tlongitude\tcountrycode\tpopulation\ttimezone\tadmin1code"]
        + cities)
    return directory.url.path
  }

  /// The path of a store in the folder.
  var store: String { directory.file("deeper/test.strata").path }
}
