// SPDX-License-Identifier: Apache-2.0
import StrataLMDB

/// What a finished save has survived.
public enum Durability: String, Sendable, Hashable, CaseIterable {
  /// Power failure. The default.
  case full
  /// Power failure, except that the last save may be lost; the store stays sound.
  case relaxed
  /// The end of the process, not that of the machine, after which the store may be damaged. For
  /// scratch stores.
  case none

  var environment: StrataLMDB.Durability {
    switch self {
    case .full: .full
    case .relaxed: .relaxed
    case .none: .none
    }
  }
}
