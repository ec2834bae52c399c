// SPDX-License-Identifier: Apache-2.0
import StrataLMDB

extension EnvironmentOptions {
  /// The options of a store's file with the settings that a program chooses.
  ///
  /// - Parameters:
  ///   - byteCountMax: the size that the file may grow to, raised to 1 MiB; nil for the default.
  ///   - busyTimeout: nil for no limit.
  init(durability: StoreDurability, byteCountMax: Int?, busyTimeout: Duration?) {
    self.init()
    self.durability = durability.environment
    self.busyTimeout = busyTimeout
    self.byteCountMax = byteCountMax.map { max($0, 1 << 20) }
  }
}
