// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// Instructions per operation of one figure of one peer, which profile.sh has counted.
struct InstructionCount {
  let figure, peer: String
  let scale: Int
  let count: Double

  /// The counts in a file: in each line figure, peer, scale and count.
  ///
  /// - Throws: `ValidationError` that shows a line of another form.
  static func read(_ path: String) throws -> [InstructionCount] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 4, let scale = Int(words[2]), let count = Double(words[3]) else {
        throw ValidationError("\(path): not a figure, a peer, a scale and a count: \(line)")
      }
      return InstructionCount(figure: words[0], peer: words[1], scale: scale, count: count)
    }
  }

  static func table(_ counts: [InstructionCount]) -> [String] {
    var figures: [String] = []
    for count in counts where !figures.contains(count.figure) { figures.append(count.figure) }
    let peers = PeerKind.allCases.filter { peer in counts.contains { $0.peer == peer.rawValue } }
    return markdownTable(
      [""] + peers.map(\.title) + ["N"],
      figures.map { figure in
        let of = counts.filter { $0.figure == figure }
        return [figure]
          + peers.map { peer in
            of.last { $0.peer == peer.rawValue }.map { grouped($0.count) } ?? ""
          } + [of.last.map { grouped(Double($0.scale)) } ?? ""]
      })
  }
}
