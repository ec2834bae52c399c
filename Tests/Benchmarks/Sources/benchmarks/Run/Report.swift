// SPDX-License-Identifier: Apache-2.0

/// The results of a run, as tables for people and as rows for programs.
struct Report {
  let results: Results
  let scale: Int

  /// One row for each figure of each peer.
  var rows: [FigureRow] {
    results.cells.map { cell in
      FigureRow(
        workload: cell.workload, peer: cell.peer.rawValue, scale: scale,
        nsPerOp: cell.nanoseconds, cpuNsPerOp: cell.cpuNanoseconds,
        ratioToLMDB: ratio(
          cell, to: .lmdb, for: Workload.of(figure: cell.workload)?.limit ?? cell.workload),
        ratioToSQLite: ratio(cell, to: .sqlite, for: cell.workload),
        bytesPerObject: cell.bytes, rounds: cell.figures.count,
        checksum: cell.checksum.map {
          let digits = String($0, radix: 16)
          return String(repeating: "0", count: 16 - digits.count) + digits
        })
    }
  }

  private func ratio(_ cell: Results.Cell, to peer: PeerKind, for figure: String) -> Double? {
    results.ratio(
      cell, to: results.cell(figure, peer), by: Workload.clock(of: cell.workload))
  }

  // MARK: - Tables

  /// All figures and targets, then both clocks, then memory, then what was skipped, and facts.
  var tables: String {
    let table = FigureTable(rows: rows)
    var lines = table.comparison()
    lines += ["", "Nanoseconds per operation:", ""] + table.clocks
    lines += ["", "Growth of resident memory:", ""] + memory(table)
    lines += [""] + subjects(table)
    for cell in results.cells {
      for note in cell.figures.last?.notes ?? [] {
        lines.append("- \(cell.workload), \(cell.peer.title), last round: \(note)")
      }
    }
    for skipped in results.skipped {
      lines.append("- \(skipped.workload), \(skipped.peer.title): skipped, \(skipped.reason)")
    }
    return lines.joined(separator: "\n")
  }

  private func memory(_ table: FigureTable) -> [String] {
    let peers = table.peers
    return markdownTable(
      [""] + peers.map(\.title),
      table.figures.compactMap { figure in
        let cells = peers.map { peer in
          results.cell(figure, peer)?.peakBytes.map { "\($0 >> 20) MiB" } ?? ""
        }
        return cells.allSatisfy(\.isEmpty) ? nil : [figure] + cells
      })
  }

  private func subjects(_ table: FigureTable) -> [String] {
    var names: [String] = []
    for figure in table.figures {
      guard let workload = Workload.of(figure: figure), !names.contains(workload.name) else {
        continue
      }
      names.append(workload.name)
    }
    return Workload.all.filter { names.contains($0.name) }.map {
      "- \($0.name): \($0.work); per \($0.unit)"
    }
  }
}
