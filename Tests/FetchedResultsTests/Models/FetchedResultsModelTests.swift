// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataTestSupport
import Testing

@Suite struct `Fetched lists compared with fetching again` {
  @Test func `equal the reported changes, after each step of many random histories`() async {
    let failure = await ModelTest(
      "lists", sequences: 250, steps: 14, width: ProcessInfo.processInfo.activeProcessorCount
    ) { try FetchedListHistory($0) }.firstFailure()
    #expect(failure == nil)
  }

  #if DEBUG
    @Test(arguments: [PlantedFault.relatedForgotten, .movesUncounted])
    func `differ with a planted mistake`(_ fault: PlantedFault) async {
      let failure = await ModelTest("lists with a fault", sequences: 300, steps: 14, first: 1) {
        try FetchedListHistory($0, fault: fault)
      }.firstFailure(isShrunk: false)
      #expect(failure != nil)
    }
  #endif
}
