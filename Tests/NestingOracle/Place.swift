// SPDX-License-Identifier: Apache-2.0

/// A context of the small family that the model test works with: two roots, two children of the
/// first root, and a grandchild.
///
/// ```
///   root    rival
///   ├─ child ── grandchild
///   └─ sibling
/// ```
package enum Place: Int, CaseIterable, Sendable {
  case root, rival, child, sibling, grandchild

  package var parent: Place? {
    switch self {
    case .root, .rival: nil
    case .child, .sibling: .root
    case .grandchild: .child
    }
  }

  /// All contexts that rest on this one, near or far.
  package var below: [Place] {
    switch self {
    case .root: [.child, .sibling, .grandchild]
    case .child: [.grandchild]
    case .rival, .sibling, .grandchild: []
    }
  }

  /// All contexts that this one rests on.
  package var above: [Place] { parent.map { [$0] + $0.above } ?? [] }

  package var isRoot: Bool { parent == nil }

  /// The letter by which a sequence names the context.
  package var letter: String {
    switch self {
    case .root: "R"
    case .rival: "S"
    case .child: "C"
    case .sibling: "D"
    case .grandchild: "G"
    }
  }

  package init?(letter: some StringProtocol) {
    guard let place = Self.allCases.first(where: { $0.letter == letter }) else { return nil }
    self = place
  }
}
