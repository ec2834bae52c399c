// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// The source of the dates that Strata itself writes into a store: the dates of the history's
/// transactions and the attributes that are derived from now.
///
/// A test replaces the system's clock, so that these dates are the same in each run.
///
/// ## Isolation
/// Sendable: the store's writer and each context ask it, on their threads.
package struct StoreClock: Sendable {
  private let read: @Sendable () -> Date

  package init(_ read: @escaping @Sendable () -> Date) { self.read = read }

  /// The system's clock.
  package static let system = StoreClock { Date() }

  package var now: Date { read() }
}
