// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Suite struct `Stores in memory` {
  /// Whether the process may open three files for each of `count` stores, and some besides.
  private static func canOpen(_ count: Int) -> Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
    if limit.rlim_cur >= UInt(3 * count + 1_000) { return true }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(3 * count + 1_000))
    return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      && limit.rlim_cur >= UInt(3 * count + 1_000)
  }

  @Test(.enabled(if: canOpen(1_000))) func `may be a thousand in one process`() throws {
    let model = try geographyModel()
    let containers = try (0..<1_000).map { _ in try PersistentContainer(inMemory: model) }
    for (number, container) in containers.enumerated() {
      try container.root.performAndWait { context in
        context.city("\(number)")
        try context.save()
      }
    }
    for (number, container) in containers.enumerated() {
      #expect(try container.root.performAndWait { try $0.cityNames() } == ["\(number)"])
    }
  }
}
