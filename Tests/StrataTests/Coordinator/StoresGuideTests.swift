// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of Docs/Stores.md, part by part.
@Suite struct `The guide to stores` {
  @Test func `shows the code that runs here`() throws { try expectGuide("Stores.md") }

  @Test func `works as it says`() throws {
    let folder = try TemporaryDirectory()
    let (url, model) = (folder.file("store"), try geographyModel())
    // begin opening
    let container = try PersistentContainer(at: url, model: model)
    // end
    try container.root.performAndWait { context in
      context.city("saved")
      try context.save()
    }
    // begin reading
    let reference = try PersistentContainer(at: url, model: model, isReadOnly: true)
    // end
    #expect(try reference.root.performAndWait { try $0.cityNames() } == ["saved"])
  }
}
