// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel
import StrataPrimitives
import Testing

@Suite struct `Stated invariants of fetched lists` {
  @Test func `stop a node that weighs less than its child`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let name = SectionName(nil)
      let nodes = [1, 2].map { serial in
        ResultNode(
          ResultEntry(key: ObjectKey(rawValue: serial), order: [], section: name), left: nil,
          right: nil)
      }
      // One of the two weighs less.
      ResultNode(nodes[0].entry, left: nodes[1], right: nil).requireInvariants()
      ResultNode(nodes[1].entry, left: nodes[0], right: nil).requireInvariants()
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(said?.contains("I1 A node's `weight` is not less than its children's.") == true)
  }
}
