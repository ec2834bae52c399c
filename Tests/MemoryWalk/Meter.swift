// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Resident memory as Linux counts it, in bytes.
struct Meter {
  private let start = Meter.read()
  private(set) var anonymousMax = 0

  /// The maximum of all of it, beyond its beginning.
  var growth: Int { (Meter.read()["VmHWM"] ?? 0) - (start["VmRSS"] ?? 0) }

  mutating func sample() {
    anonymousMax = max(anonymousMax, (Meter.read()["RssAnon"] ?? 0) - (start["RssAnon"] ?? 0))
  }

  private static func read() -> [String: Int] {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").reduce(into: [:]) { values, line in
      let parts = line.split { $0 == ":" || $0 == " " || $0 == "\t" }
      if parts.count == 3, parts[2] == "kB", let value = Int(parts[1]) {
        values[String(parts[0])] = value << 10
      }
    }
  }
}
