// SPDX-License-Identifier: Apache-2.0
import StrataLMDB

/// The failures that a finished save survives.
public enum StoreDurability: String, Sendable, Hashable, CaseIterable {
  /// Power failure. The default.
  case full
  /// Power failure, except that the last save may be lost; the store stays sound.
  case relaxed
  /// Survives the end of the process, not a crash of the machine, which may damage the store. For
  /// scratch stores.
  case none

  var environment: StrataLMDB.StoreDurability {
    switch self {
    case .full: .full
    case .relaxed: .relaxed
    case .none: .none
    }
  }
}
