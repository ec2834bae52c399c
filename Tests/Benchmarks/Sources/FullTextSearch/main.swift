// SPDX-License-Identifier: Apache-2.0
import Foundation

// Searches for words beside SQLite's FTS5: how long an index takes to be built, and how long
// queries take whose results are read. Both have the same texts and find the same ones.
//
//   FullTextSearch <file with a text on each line> [rounds] [queries …]
//
// Docs/Benchmarks.md, "Full text", has the figures and says where the texts come from.

guard CommandLine.arguments.count > 1 else {
  print("usage: FullTextSearch <file with a text on each line> [rounds] [queries …]")
  exit(64)
}
let texts = try String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
  .split(separator: "\n").map(String.init)
let rounds = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 5
let queries = Array(CommandLine.arguments.dropFirst(3))
let folder = FileManager.default.temporaryDirectory
  .appending(path: "full-text-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

/// Prints the medians of both, in milliseconds of the processor, and of their quotient in a round.
func compare(
  _ name: String, _ strata: (Int) throws -> Int, _ sqlite: (Int) throws -> Int
) throws {
  var times: [(strata: Double, sqlite: Double)] = []
  var count = 0
  for round in 0..<rounds {
    func measure(_ work: (Int) throws -> Int) throws -> (Double, Int) {
      let start = clock()
      let found = try work(round)
      return (Double(clock() - start) * 1_000 / Double(CLOCKS_PER_SEC), found)
    }
    let isFirst = round.isMultiple(of: 2)
    let early = isFirst ? nil : try measure(sqlite)
    let first = try measure(strata)
    let second = try early ?? measure(sqlite)
    guard first.1 == second.1 else { fatalError("\(name): \(first.1) and \(second.1) results") }
    count = first.1
    times.append((first.0, second.0))
  }
  func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
  let ratio = median(times.map { $0.strata / $0.sqlite })
  print(
    "| \(name) | \(count) | \(figure(median(times.map(\.strata)))) "
      + "| \(figure(median(times.map(\.sqlite)))) | \(figure(ratio)) |")
}

func figure(_ number: Double) -> String { String(format: "%.3f", number) }

print("\(texts.count) texts, \(texts.reduce(0) { $0 + $1.utf8.count }) bytes\n")
print("| work | results | Strata, ms | FTS5, ms | ratio |\n|---|---|---|---|---|")
try compare("build") { round in
  try StrataSearch(at: folder.appending(path: "\(round).strata")).insert(texts)
} _: { round in
  try SQLiteSearch(at: folder.appending(path: "\(round).sqlite")).insert(texts)
}
let strata = try StrataSearch(at: folder.appending(path: "0.strata"))
let sqlite = try SQLiteSearch(at: folder.appending(path: "0.sqlite"))
for query in queries {
  try compare("`\(query)`: texts") { _ in
    try strata.find(query)
  } _: { _ in
    try sqlite.find(query)
  }
  try compare("`\(query)`: count") { _ in
    try strata.count(query)
  } _: { _ in
    try sqlite.count(query)
  }
  try compare("`\(query)`: best 20") { _ in
    try strata.best(query, 20)
  } _: { _ in
    try sqlite.best(query, 20)
  }
}
