// SPDX-License-Identifier: Apache-2.0

/// The figures of one run, by name and peer.
struct FigureTable {
  let rows: [FigureRow]

  subscript(figure: String, peer: PeerKind) -> FigureRow? {
    rows.last { $0.workload == figure && $0.peer == peer.rawValue }
  }

  /// The figure by the clock by which it is compared.
  func value(_ figure: String, _ peer: PeerKind) -> Double? {
    self[figure, peer]?.value(by: Workload.clock(of: figure))
  }

  /// The value with its unit.
  func text(_ figure: String, _ peer: PeerKind) -> String {
    guard let row = self[figure, peer] else { return "" }
    if let bytes = row.bytesPerObject { return grouped(bytes) + " B" }
    return value(figure, peer).map { grouped($0) + " ns" } ?? ""
  }

  /// All figures in the order of `Workload.all`.
  var figures: [String] {
    let names = rows.reduce(into: [String]()) { names, row in
      if !names.contains(row.workload) { names.append(row.workload) }
    }
    return Workload.all.flatMap { workload in
      names.filter { Workload.of(figure: $0)?.name == workload.name }
    }
  }

  /// The peers that are present, in the order of `PeerKind`.
  var peers: [PeerKind] {
    let present = Set(rows.map(\.peer))
    return PeerKind.allCases.filter { present.contains($0.rawValue) }
  }

  // MARK: - For people

  /// Every figure of every peer by the clock by which it is compared, Strata's ratios and its
  /// target.
  func comparison(instructions: [String: Double] = [:]) -> [String] {
    let peers = peers
    let headings =
      [""] + peers.map { $0 == .strata ? "**Strata**" : $0.title }
      + ["to LMDB", "to SQLite", "is", "target", "met"]
    return markdownTable(
      headings,
      figures.map { figure in
        let verdict = Verdict(figure, self, instructions: instructions)
        let row = self[figure, .strata]
        let ratios = [row?.ratioToLMDB, row?.ratioToSQLite].map {
          $0.map { shortNumber(($0 * 100).rounded() / 100) + " ×" } ?? ""
        }
        let clock = Workload.clock(of: figure) == .wall ? " (wall)" : ""
        return [figure + clock] + peers.map { text(figure, $0) } + ratios
          + [verdict?.text ?? "", verdict?.target.text ?? "", verdict?.mark ?? ""]
      })
  }

  /// Wall time beside CPU time, of every peer.
  var clocks: [String] {
    let peers = peers
    return markdownTable(
      [""] + peers.flatMap { ["\($0.title), wall", "CPU"] },
      figures.compactMap { figure in
        let cells = peers.flatMap { peer in
          [self[figure, peer]?.nsPerOp, self[figure, peer]?.cpuNsPerOp].map {
            $0.map(grouped) ?? ""
          }
        }
        return cells.allSatisfy(\.isEmpty) ? nil : [figure] + cells
      })
  }
}
