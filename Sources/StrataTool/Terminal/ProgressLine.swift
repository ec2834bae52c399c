// SPDX-License-Identifier: Apache-2.0

/// A line that shows how far long work has come. It is written to the standard error stream, only
/// if that is a terminal, and at most ten times in a second.
///
/// ## Isolation
/// Sendable: one thread at a time calls it, the one that works.
// Safety: as said under Isolation.
final class ProgressLine: @unchecked Sendable {
  private let title: String
  private var shown = ContinuousClock.Instant?.none
  private let isShown: Bool

  init(_ title: String) {
    self.title = title
    isShown = StandardError.isTerminal
  }

  /// - Parameter total: nil if it is not known.
  func show(_ completed: Int, of total: Int?) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let shown, now - shown < .milliseconds(100) { return }
    shown = now
    let part = total.map { $0 > 0 ? " \(min(100, completed * 100 / $0)) %" : "" } ?? " \(completed)"
    StandardError.put("\r\u{1B}[K\(title)\(part)")
  }

  /// Removes the line.
  func end() {
    if shown != nil { StandardError.put("\r\u{1B}[K") }
    shown = nil
  }
}
