// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// A figure of one peer in one run, in its form in a file of figures: an array of these, as JSON.
///
/// A checksum is 16 hexadecimal digits, as numbers of 64 bits do not survive most readers of JSON.
/// A figure that was not measured is null; only sizes have the key `bytesPerObject`. A ratio is of
/// CPU times, or of wall times where the work waits.
struct FigureRow: Codable {
  let workload, peer: String
  let scale: Int
  let nsPerOp, cpuNsPerOp, ratioToLMDB: Double?
  var ratioToSQLite: Double? = nil
  let bytesPerObject: Double?
  let rounds: Int
  let checksum: String?

  /// Nil is written as null, so that every row has every key.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(workload, forKey: .workload)
    try container.encode(peer, forKey: .peer)
    try container.encode(scale, forKey: .scale)
    try container.encode(nsPerOp, forKey: .nsPerOp)
    try container.encode(cpuNsPerOp, forKey: .cpuNsPerOp)
    try container.encode(ratioToLMDB, forKey: .ratioToLMDB)
    try container.encode(ratioToSQLite, forKey: .ratioToSQLite)
    try container.encodeIfPresent(bytesPerObject, forKey: .bytesPerObject)
    try container.encode(rounds, forKey: .rounds)
    try container.encode(checksum, forKey: .checksum)
  }

  /// The figure, in any unit.
  func value(by clock: Workload.Clock) -> Double? {
    bytesPerObject ?? (clock == .cpu ? cpuNsPerOp ?? nsPerOp : nsPerOp)
  }

  /// Writes a file of figures.
  static func write(_ rows: [FigureRow], to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(rows).write(to: URL(fileURLWithPath: path))
  }

  /// The rows of all files.
  ///
  /// - Throws: `ValidationError` that names a file that cannot be read or has no figures.
  static func read(_ paths: [String]) throws -> [FigureRow] {
    try paths.flatMap { path in
      do {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return try JSONDecoder().decode([FigureRow].self, from: data)
      } catch {
        throw ValidationError("\(path) cannot be read as a file of --json: \(error)")
      }
    }
  }
}
