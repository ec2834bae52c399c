// SPDX-License-Identifier: Apache-2.0
import StrataLMDB

/// The failures that a finished save survives.
public enum StoreDurability: String, Sendable, Hashable, CaseIterable {
  /// A finished save survives the end of the process and a power failure. The default.
  case full
  /// A finished save survives the end of the process. A power failure may take the last save; the
  /// store stays sound.
  case relaxed
  /// A finished save survives the end of the process. A crash of the machine may damage the store.
  /// For stores that can be made again.
  case none

  var environment: StrataLMDB.StoreDurability {
    switch self {
    case .full: .full
    case .relaxed: .relaxed
    case .none: .none
    }
  }
}
