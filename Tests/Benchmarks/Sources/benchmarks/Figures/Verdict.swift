// SPDX-License-Identifier: Apache-2.0

/// One of Strata's figures beside its target.
struct Verdict {
  let target: Target
  /// How near the figure came, in the unit of the target; nil if something is missing.
  let value: Double?

  /// Nil if the figure has no target.
  ///
  /// - Parameters:
  ///   - rows: the figures of one scale.
  ///   - instructions: counted instructions per operation, by figure.
  init?(_ figure: String, _ rows: FigureTable, instructions: [String: Double] = [:]) {
    guard let target = Workload.of(figure: figure)?.targets[figure] else { return nil }
    self.target = target
    func ratio(to other: String) -> Double? {
      guard let value = rows.value(figure, .strata), let to = rows.value(other, .strata), to > 0
      else { return nil }
      return value / to
    }
    value =
      switch target.quantity {
      case .timesPeer(.sqlite): rows[figure, .strata]?.ratioToSQLite
      case .timesPeer: rows[figure, .strata]?.ratioToLMDB
      case .timesFigure(let other): ratio(to: other)
      case .throughput(let other): ratio(to: other).map { 1 / $0 }
      case .nanoseconds, .bytes: rows.value(figure, .strata)
      case .instructions: instructions[figure]
      }
  }

  /// As precisely as it is shown.
  private var rounded: Double? { value.map { ($0 * 100).rounded() / 100 } }

  var isMet: Bool? {
    guard let rounded else { return nil }
    if case .throughput = target.quantity { return rounded >= target.bound }
    return rounded <= target.bound
  }

  /// The value with its unit.
  var text: String {
    guard let rounded else { return "" }
    switch target.quantity {
    case .timesPeer, .timesFigure, .throughput: return shortNumber(rounded) + " ×"
    case .nanoseconds: return grouped(rounded) + " ns"
    case .bytes: return grouped(rounded) + " B"
    case .instructions: return grouped(rounded) + " instructions"
    }
  }

  /// Whether it is met, in a table.
  var mark: String { isMet.map { $0 ? "yes" : "**no**" } ?? "" }
}
