// SPDX-License-Identifier: Apache-2.0

/// A bound that one of Strata's figures should keep.
struct Target: Sendable {
  /// The quantity that is bounded.
  enum Quantity {
    /// A multiple of another figure: of a peer's for the same work, or of Strata's for other work.
    case timesPeer(PeerKind)
    case timesFigure(String)
    /// Operations per second as a multiple of another of Strata's figures; the bound is a minimum.
    case throughput(of: String)
    case nanoseconds
    case bytes
    /// Instructions per operation, which profile.sh counts.
    case instructions
  }

  let quantity: Quantity
  let bound: Double

  static func timesLMDB(_ bound: Double) -> Target { Target(.timesPeer(.lmdb), bound) }
  static func timesSQLite(_ bound: Double) -> Target { Target(.timesPeer(.sqlite), bound) }
  static func times(_ bound: Double, of figure: String) -> Target {
    Target(.timesFigure(figure), bound)
  }
  static func throughput(_ bound: Double, of figure: String) -> Target {
    Target(.throughput(of: figure), bound)
  }
  static func nanoseconds(_ bound: Double) -> Target { Target(.nanoseconds, bound) }
  static func bytes(_ bound: Double) -> Target { Target(.bytes, bound) }
  static func instructions(_ bound: Double) -> Target { Target(.instructions, bound) }

  private init(_ quantity: Quantity, _ bound: Double) {
    self.quantity = quantity
    self.bound = bound
  }

  /// The bound in words.
  var text: String {
    switch quantity {
    case .timesPeer(let peer): "\(shortNumber(bound)) × of \(peer.title)"
    case .timesFigure(let figure): "\(shortNumber(bound)) × of \(figure)"
    case .throughput(let figure): "\(shortNumber(bound)) × the rate of \(figure)"
    case .nanoseconds: "\(grouped(bound)) ns"
    case .bytes: "\(grouped(bound)) B"
    case .instructions: "\(grouped(bound)) instructions (profile.sh)"
    }
  }
}

extension PeerKind {
  /// The name in tables.
  var title: String {
    switch self {
    case .lmdb: "LMDB C"
    case .sqlite: "SQLite"
    case .grdb: "GRDB"
    case .grdbCached: "GRDB cached"
    case .strata: "Strata"
    }
  }
}
