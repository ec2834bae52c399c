// SPDX-License-Identifier: Apache-2.0

/// The results of a run, as tables for people and as rows for programs.
struct Report {
  let results: Results
  let workloads: [Workload]
  let peers: [PeerKind]
  let scale: Int

  // MARK: - Ratios

  /// The figure that ratios of a peer's figure are to: raw LMDB's.
  private func limit(of cell: Results.Cell) -> Results.Cell? {
    let workload = workloads.first { $0.name == cell.workload }
    return results.cell(workload?.limit ?? cell.workload, .lmdb)
  }

  func ratioToLMDB(_ cell: Results.Cell) -> Double? { results.ratio(cell, to: limit(of: cell)) }

  /// The target of one of Strata's figures, how near it came, and whether it met it.
  private func verdict(_ cell: Results.Cell) -> (target: String, is: String, isMet: Bool?) {
    let targets = workloads.reduce(into: [:]) { $0.merge($1.targets) { first, _ in first } }
    func compared(_ target: Double, _ unit: String, _ value: Double?) -> (String, String, Bool?) {
      let value = value.map { ($0 * 100).rounded() / 100 }
      return (
        shortNumber(target) + unit, value.map { shortNumber($0) + unit } ?? "–",
        value.map { $0 <= target }
      )
    }
    switch targets[cell.workload] {
    case nil: return ("", "", nil)
    case .timesLMDB(let times)?: return compared(times, " ×", ratioToLMDB(cell))
    case .times(let times, let other)?:
      var verdict = compared(times, " ×", results.ratio(cell, to: results.cell(other, .strata)))
      verdict.0 += " of \(other)"
      return verdict
    case .nanoseconds(let most)?: return compared(most, " ns", cell.nanoseconds)
    case .bytes(let most)?: return compared(most, " B", cell.bytes)
    }
  }

  // MARK: - Tables

  /// Strata against its targets, and the others beside it; then CPU time and memory of all.
  var tables: String {
    var lines: [String] = []
    let others = peers.filter { $0 != .lmdb && $0 != .strata }
    let headings =
      ["", "work", "LMDB C"] + others.map { "\($0)" } + ["**Strata**", "", "target", "met"]
    var rows: [[String]] = []
    for (name, work) in figures {
      var row = [name, work, results.cell(name, .lmdb).map(value) ?? ""]
      for peer in others { row.append(times(name, peer)) }
      if let cell = results.cell(name, .strata) {
        let verdict = verdict(cell)
        let mark = verdict.isMet.map { $0 ? "yes" : "**no**" } ?? ""
        row += [value(cell), verdict.is, verdict.target, mark]
      } else {
        row += [skip(name, .strata) ?? "", "", "", ""]
      }
      rows.append(row)
    }
    lines += markdownTable(headings, rows)
    lines += ["", "CPU time per operation, all threads, and growth of resident memory:", ""]
    let columns = peers.flatMap { ["\($0) CPU", "peak"] }
    lines += markdownTable(
      [""] + columns,
      figures.compactMap { name, _ in
        let cells = peers.map { results.cell(name, $0) }
        guard cells.contains(where: { $0?.cpuNanoseconds != nil }) else { return nil }
        return [name]
          + cells.flatMap { cell in
            [
              cell?.cpuNanoseconds.map { grouped($0) } ?? "",
              cell?.peakBytes.map { "\($0 >> 20) MiB" } ?? "",
            ]
          }
      })
    for cell in results.cells {
      for note in cell.figures.last?.notes ?? [] {
        if lines.last?.hasPrefix("- ") == false { lines.append("") }
        lines.append("- \(cell.workload), \(cell.peer), last round: \(note)")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// All figures by name, in the order of the workloads, with their subjects.
  private var figures: [(name: String, work: String)] {
    workloads.flatMap { workload in
      let names = results.cells.map(\.workload).filter {
        $0 == workload.name || $0.hasPrefix(workload.name + "/")
      }
      var listed: [(String, String)] = []
      for name in names where !listed.contains(where: { $0.0 == name }) {
        listed.append((name, name == workload.name ? "\(workload.work); per \(workload.unit)" : ""))
      }
      return listed
    }
  }

  private func times(_ name: String, _ peer: PeerKind) -> String {
    guard let cell = results.cell(name, peer) else { return skip(name, peer) ?? "" }
    return ratioToLMDB(cell).map { shortNumber($0) + " ×" } ?? value(cell)
  }

  private func skip(_ name: String, _ peer: PeerKind) -> String? {
    results.skipped.first { $0.workload == name && $0.peer == peer }?.reason
  }

  private func value(_ cell: Results.Cell) -> String {
    cell.nanoseconds.map { grouped($0) + " ns" } ?? cell.bytes.map { "\(Int($0)) B" } ?? ""
  }

  // MARK: - Rows

  /// One row for each figure of each peer.
  var rows: [FigureRow] {
    results.cells.map { cell in
      FigureRow(
        workload: cell.workload, peer: cell.peer.rawValue, scale: scale,
        nsPerOp: cell.nanoseconds, cpuNsPerOp: cell.cpuNanoseconds,
        ratioToLMDB: ratioToLMDB(cell), bytesPerObject: cell.bytes, rounds: cell.figures.count,
        checksum: cell.checksum.map {
          let digits = String($0, radix: 16)
          return String(repeating: "0", count: 16 - digits.count) + digits
        })
    }
  }
}
