// SPDX-License-Identifier: Apache-2.0
internal import Foundation

extension String {
  /// A canonically equivalent text, in which long runs of combining marks are decomposed and in
  /// canonical order. O(length).
  ///
  /// The standard library orders the marks of a run by insertion, whose time grows with the square
  /// of their number unless they are in order already: 64 KB of them in no order took seconds.
  /// Texts that are normalized are put into this form before.
  package var withOrderedMarks: String {
    guard utf8.count > Self.shortRun, Self.hasLongRun(unicodeScalars) else { return self }
    var ordered = UnicodeScalarView()
    var run: [Unicode.Scalar] = []
    func endRun() {
      if run.count > Self.shortRun { run = Self.inCanonicalOrder(run) }
      ordered.append(contentsOf: run)
      run.removeAll(keepingCapacity: true)
    }
    for scalar in unicodeScalars {
      if Self.isMark(scalar) {
        run.append(scalar)
      } else {
        endRun()
        ordered.append(scalar)
      }
    }
    endRun()
    return String(ordered)
  }

  /// How many marks are ordered by the standard library. No language writes more on one letter.
  private static let shortRun = 32

  private static func hasLongRun(_ scalars: UnicodeScalarView) -> Bool {
    var count = 0
    for scalar in scalars {
      count = isMark(scalar) ? count + 1 : 0
      if count > shortRun { return true }
    }
    return false
  }

  /// Whether the standard library orders the scalar among the marks around it. It asks for the
  /// class before it decomposes: U+0F73, U+0F75 and U+0F81 have none, and begin a run.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    if NormalForm.isInert(scalar.value) { return false }
    return scalar.properties.canonicalCombiningClass != .notReordered
  }

  /// The decompositions of `marks`; marks with one combining class keep their order: a counting
  /// sort.
  private static func inCanonicalOrder(_ marks: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var byClass: [[Unicode.Scalar]] = Array(repeating: [], count: 256)
    for mark in marks {
      for part in String(mark).decomposedStringWithCanonicalMapping.unicodeScalars {
        byClass[Int(part.properties.canonicalCombiningClass.rawValue)].append(part)
      }
    }
    return Array(byClass.joined())
  }
}
