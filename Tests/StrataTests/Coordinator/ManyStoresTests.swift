// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite struct `Stores in memory` {
  @Test(
    .enabled(
      if: ProcessRoom.hasFiles(forStores: 1_000) && ProcessRoom.hasAddresses(forStores: 1_000)))
  func `may be a thousand in one process`() throws {
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
