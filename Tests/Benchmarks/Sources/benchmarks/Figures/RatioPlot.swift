// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The ratios of workloads to raw LMDB, on a logarithmic scale, as SVG.
///
/// Marks differ in shape as well as in colour.
struct RatioPlot {
  /// A workload: each peer's distance from LMDB.
  struct Row {
    let name, work: String
    let ratios: [PeerKind: Double]
    let target: Double?

    /// Nil if the workload has no ratio of Strata's to LMDB.
    init?(_ workload: Workload, _ rows: [FigureRow]) {
      let rows = rows.filter { $0.workload == workload.name }
      ratios = rows.reduce(into: [:]) { ratios, row in
        guard let peer = PeerKind(rawValue: row.peer), peer != .lmdb else { return }
        ratios[peer] = row.ratioToLMDB
      }
      guard ratios[.strata] != nil else { return nil }
      name = workload.name
      work = workload.work
      let table = FigureTable(rows: rows)
      switch workload.targets[workload.name].map({ ($0.quantity, $0.bound) }) {
      case (.timesPeer(.lmdb), let times)?: target = times
      case (.timesPeer(let peer), let times)?:
        target = table[workload.name, peer]?.ratioToLMDB.map { times * $0 }
      case (.bytes, let most)?:
        target = table[workload.name, .lmdb]?.bytesPerObject.map { most / $0 }
      default: target = nil
      }
    }
  }

  let scale: Int
  let rows: [Row]

  private let left = 420.0, width = 560.0, top = 70.0, rowHeight = 24.0

  var svg: String {
    let bottom = top + Double(rows.count) * rowHeight
    let (total, height) = (left + width + 30, bottom + 50)
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(total)) \(Int(height))" \
      font-family="system-ui, sans-serif" font-size="12" fill="#222">
      """,
      "<title>Time of each workload as a multiple of raw LMDB's</title>",
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
      text(
        20, 24, "Times raw LMDB in C, N = \(grouped(Double(scale))); further left is faster",
        "font-size=\"15\" font-weight=\"600\""),
    ]
    lines += legend
    for ratio in ticks {
      let x = place(ratio)
      let stroke = ratio == 1 ? "#444" : "#ddd"
      lines.append(line(x, top - 6, x, bottom, "stroke=\"\(stroke)\""))
      lines.append(text(x, bottom + 18, shortNumber(ratio), "text-anchor=\"middle\""))
    }
    for (index, row) in rows.enumerated() {
      let y = top + (Double(index) + 0.5) * rowHeight
      lines.append(text(20, y + 4, row.name, "font-weight=\"600\""))
      lines.append(text(64, y + 4, row.work, "font-size=\"10\" fill=\"#555\""))
      lines.append(line(left, y, left + width, y, "stroke=\"#eee\""))
      if let target = row.target {
        let x = place(target)
        lines.append(line(x, y - 9, x, y + 9, "stroke=\"#111\" stroke-width=\"2\""))
      }
      for peer in PeerKind.allCases {
        if let ratio = row.ratios[peer] { lines.append(mark(peer, place(ratio), y)) }
      }
    }
    lines.append("</svg>")
    return lines.joined(separator: "\n") + "\n"
  }

  private var legend: [String] {
    var x = left
    var lines: [String] = []
    for peer in PeerKind.allCases where rows.contains(where: { $0.ratios[peer] != nil }) {
      lines.append(mark(peer, x, 46))
      lines.append(text(x + 10, 50, peer.title, ""))
      x += 100
    }
    lines.append(line(x, 38, x, 54, "stroke=\"#111\" stroke-width=\"2\""))
    lines.append(text(x + 10, 50, "Strata's target", ""))
    return lines
  }

  // MARK: - Scale

  private var ends: (least: Double, most: Double) {
    let all = rows.flatMap { Array($0.ratios.values) + ($0.target.map { [$0] } ?? []) }
      .filter { $0 > 0 }
    return ((all.min() ?? 0.1) / 1.2, (all.max() ?? 10) * 1.2)
  }

  /// 1, 2 and 5 of each power of ten between the ends.
  private var ticks: [Double] {
    let (least, most) = ends
    return (-4...6).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
      .filter { $0 >= least && $0 <= most }
  }

  private func place(_ ratio: Double) -> Double {
    let (least, most) = ends
    let share = (log(max(ratio, least)) - log(least)) / (log(most) - log(least))
    return left + share * width
  }

  // MARK: - Marks

  private func mark(_ peer: PeerKind, _ x: Double, _ y: Double) -> String {
    let (x, y) = (rounded(x), rounded(y))
    switch peer {
    case .strata: return "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"6\" fill=\"#c2410c\"/>"
    case .sqlite:
      return "<rect x=\"\(x - 4)\" y=\"\(y - 4)\" width=\"8\" height=\"8\" fill=\"#1d4ed8\"/>"
    case .grdb:
      return "<path d=\"M\(x) \(y - 5)l5 9h-10z\" fill=\"#0f766e\"/>"
    case .grdbCached:
      return "<path d=\"M\(x) \(y + 5)l5 -9h-10z\" fill=\"none\" stroke=\"#0f766e\"/>"
    case .lmdb: return ""
    }
  }

  private func text(_ x: Double, _ y: Double, _ text: String, _ style: String) -> String {
    let escaped = text.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;")
    return "<text x=\"\(rounded(x))\" y=\"\(rounded(y))\" \(style)>\(escaped)</text>"
  }

  private func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String
  ) -> String {
    "<line x1=\"\(rounded(x1))\" y1=\"\(rounded(y1))\" x2=\"\(rounded(x2))\" y2=\"\(rounded(y2))\" "
      + "\(style)/>"
  }

  private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
