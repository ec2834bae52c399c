// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Suite struct `A unique value that two children save to their parent` {
  @Test func `is refused by the topmost save, which names both objects, and can be mended`() throws
  {
    let container = try geography()
    let children = (0..<2).map { _ in container.newBackgroundContext() }
    let ids = try children.map { child in
      try child.performAndWait { context in
        let country = context.country("IR")
        try context.save()
        return country.objectID
      }
    }
    try container.root.performAndWait { context in
      do {
        try context.save()
        Issue.record("the save went through")
      } catch StoreError.uniquenessViolations(let violations) {
        #expect(violations.map(\.properties) == [["iso"]])
        #expect(Set(violations.flatMap { [$0.objectID, $0.existing] }) == Set(ids))
      }
      #expect(Set(context.insertedObjects.map(\.objectID)) == Set(ids))
    }
    try children[1].performAndWait { context in
      try context.existingObject(Country.self, with: ids[1]).iso = "IQ"
      try context.save()
    }
    try container.root.performAndWait { try $0.save() }
    let reader = ContextQueue(parent: container.coordinator)
    let isos = try reader.performAndWait { try $0.fetch(Country.all).map(\.iso).sorted() }
    #expect(isos == ["IQ", "IR"])
  }
}
