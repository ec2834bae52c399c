// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataModel
import StrataTestSupport
import Testing

@testable import StrataChanges

@Suite struct `An inbox` {
  private let segment = Segment(changes: [:], schema: Geography.schema)

  private func push(_ serial: UInt64) -> ContextLayer.Push {
    ContextLayer.Push(
      segment: segment, touched: [Geography.key("City", serial)], senderPosition: nil)
  }

  private func serials(_ pushes: [ContextLayer.Push]) -> [UInt64] {
    pushes.flatMap(\.touched).map(\.serial)
  }

  @Test func `has its pushes oldest first, and leaves out the oldest ones on request`() {
    var inbox = Inbox()
    #expect(inbox.isEmpty)
    for serial in 1...4 { inbox.append(push(UInt64(serial))) }
    #expect(inbox.count == 4)
    #expect(serials(inbox.dropFirst(0)) == [1, 2, 3, 4])
    #expect(serials(inbox.dropFirst(3)) == [4])
    #expect(inbox.dropFirst(4).isEmpty)
    #expect(inbox.dropFirst(9).isEmpty)
  }

  @Test func `leaves a copy as it is when a push is added`() {
    var inbox = Inbox([push(1), push(2)])
    let copy = inbox
    inbox.append(push(3))
    #expect(serials(copy.dropFirst(0)) == [1, 2])
    #expect(serials(inbox.dropFirst(0)) == [1, 2, 3])
  }

  @Test func `is released without recursion, however long it is`() {
    var inbox = Inbox()
    for serial in 1...300_000 { inbox.append(push(UInt64(serial))) }
    #expect(inbox.count == 300_000)
    inbox = Inbox()
    #expect(inbox.isEmpty)
  }
}
