// SPDX-License-Identifier: Apache-2.0
import StrataDump
import StrataStore

/// Prints the findings of a check or of a salvage while they come.
///
/// ## Isolation
/// One thread.
final class FindingLog {
  private let isJSON: Bool
  private let progress: ProgressLine
  private var output = StandardOutput()
  private var failure: (any Error)?
  private(set) var damageCount = 0
  private(set) var noteCount = 0

  init(isJSON: Bool, progress: ProgressLine) {
    self.isJSON = isJSON
    self.progress = progress
  }

  func note(_ finding: StoreCheck.Finding) {
    note(finding.place, finding.problem, mayBeIntended: finding.mayBeIntended)
  }

  func note(_ place: String, _ problem: String, mayBeIntended: Bool = false) {
    if mayBeIntended { noteCount += 1 } else { damageCount += 1 }
    progress.end()
    let kind = mayBeIntended ? "note" : "damage"
    do {
      if isJSON {
        try output.writeLine(
          .object([
            "kind": .string(kind), "place": .string(place), "problem": .string(problem),
          ]))
      } else {
        try output.writeLine("\(kind): \(place): \(problem)".safeInTerminal)
      }
      // The process may end at the next damage.
      try output.flush()
    } catch {
      failure = error
    }
  }

  /// Prints the summary.
  ///
  /// - Throws: an earlier error of the output, too.
  func finish(_ fields: FieldList) throws {
    if let failure { throw failure }
    if isJSON {
      try output.writeLine(.object(["summary": fields.json]))
    } else {
      try fields.write(to: &output)
    }
    try output.flush()
  }
}
