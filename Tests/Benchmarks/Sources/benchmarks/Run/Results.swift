// SPDX-License-Identifier: Apache-2.0

/// All figures of a run.
struct Results {
  /// The figures of one peer's work, one for each round.
  struct Cell {
    let workload: String
    let peer: PeerKind
    var figures: [Figure] = []

    var nanoseconds: Double? { median(figures.compactMap(\.nanoseconds)) }
    var cpuNanoseconds: Double? { median(figures.compactMap(\.cpuNanoseconds)) }
    var bytes: Double? { median(figures.compactMap(\.bytes)) }
    var peakBytes: UInt64? { figures.compactMap(\.peakBytes).max() }
    var checksum: UInt64? { figures.first?.checksum }
  }

  private(set) var cells: [Cell] = []
  /// Why a peer did not do a workload.
  private(set) var skipped: [(workload: String, peer: PeerKind, reason: String)] = []

  mutating func add(_ figures: [Figure], of peer: PeerKind) {
    for figure in figures {
      if let index = cells.firstIndex(where: { $0.workload == figure.workload && $0.peer == peer })
      {
        cells[index].figures.append(figure)
      } else {
        cells.append(Cell(workload: figure.workload, peer: peer, figures: [figure]))
      }
    }
  }

  mutating func skip(_ workload: String, _ peer: PeerKind, _ reason: String) {
    guard !skipped.contains(where: { $0.workload == workload && $0.peer == peer }) else { return }
    skipped.append((workload, peer, reason))
  }

  func cell(_ workload: String, _ peer: PeerKind) -> Cell? {
    cells.first { $0.workload == workload && $0.peer == peer }
  }

  /// The median of the ratios of two cells' figures within each round; nil if one is missing.
  func ratio(_ cell: Cell, to other: Cell?, by clock: Workload.Clock) -> Double? {
    guard let other, other.figures.count == cell.figures.count else { return nil }
    return median(
      zip(cell.figures, other.figures).compactMap { figure, reference in
        guard let value = figure.value(by: clock), let to = reference.value(by: clock), to > 0
        else { return nil }
        return value / to
      })
  }

  /// The workloads in which peers or rounds have read different values, with the values.
  var mismatches: [String] {
    var found: [String] = []
    for workload in Set(cells.map(\.workload)).sorted() {
      let sums = cells.filter { $0.workload == workload }.flatMap { cell in
        cell.figures.compactMap { figure in figure.checksum.map { (cell.peer, $0) } }
      }
      guard Set(sums.map(\.1)).count > 1 else { continue }
      let listed = sums.map { "\($0.rawValue) \(String($1, radix: 16))" }.joined(separator: ", ")
      found.append("\(workload): \(listed)")
    }
    return found
  }
}

extension Figure {
  /// The time or the size.
  func value(by clock: Workload.Clock) -> Double? {
    bytes ?? (clock == .cpu ? cpuNanoseconds ?? nanoseconds : nanoseconds)
  }
}

/// The value in the middle; nil of none.
func median(_ values: [Double]) -> Double? {
  guard !values.isEmpty else { return nil }
  let sorted = values.sorted()
  let half = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
}
