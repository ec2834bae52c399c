// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The arguments of the command line.
struct Arguments {
  static let help = """
    usage: quickstart [--data DIR] [--store PATH]

    Imports continents, countries and cities into a store, opens the store again and
    prints what it found there, one fact a line. A second run on the same store finds
    everything in place and imports nothing.

      --data DIR    the folder of continents.tsv, countries.tsv and cities.tsv;
                    without it, the GeoNames sample that comes with the program
      --store PATH  the store's file, made if it is not there; without it, a file
                    in your cache folder
      --help        this text
    """

  private(set) var data: URL?
  private(set) var store: URL?
  private(set) var wantsHelp = false

  init(_ words: some Sequence<String>) throws(QuickstartError) {
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--help", "-h":
        wantsHelp = true
      case "--data", "--store":
        guard let path = words.next(), !path.isEmpty, !path.hasPrefix("--") else {
          throw .usage("\(word) needs a path")
        }
        let isFolder = word == "--data"
        let url = URL(fileURLWithPath: path, isDirectory: isFolder)
        if isFolder { data = url } else { store = url }
      default:
        throw .usage("unknown argument \(word)")
      }
    }
  }

  /// The folder of the tables: the argument of `--data`, or the sample in the program's bundle.
  var dataFolder: URL {
    let bundle = Bundle.module
    return data
      ?? (bundle.resourceURL ?? bundle.bundleURL)
      .appendingPathComponent("geonames", isDirectory: true)
  }

  /// The store's file: the argument of `--store`, or a file in the cache folder.
  var storeFile: URL {
    if let store { return store }
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
    return (caches.first ?? FileManager.default.temporaryDirectory)
      .appendingPathComponent("strata-quickstart/geonames.strata")
  }
}
