// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataStore
import Testing

@Suite struct `The savers of the next group` {
  /// The forecast after a commit with a number of requests, during which others have arrived.
  private func forecast(
    after count: Int, arrived: Int, microseconds: UInt64
  ) -> (count: Int, waitNanoseconds: UInt64) {
    var forecast = GroupForecast()
    let start = DispatchTime(uptimeNanoseconds: 1_000_000_000)
    let end = DispatchTime(uptimeNanoseconds: 1_000_000_000 + microseconds * 1_000)
    forecast.noteCommit(of: count, arrivedCount: arrived, from: start, to: end)
    return (forecast.count, forecast.deadline.uptimeNanoseconds - end.uptimeNanoseconds)
  }

  @Test func `are none at first, and none for a lone saver`() {
    #expect(GroupForecast().count == 0)
    #expect(forecast(after: 1, arrived: 0, microseconds: 5_000).count == 0)
  }

  @Test func `are those of the last one, and those that arrived during it`() {
    #expect(forecast(after: 8, arrived: 0, microseconds: 500).count == 8)
    #expect(forecast(after: 3, arrived: 2, microseconds: 500).count == 5)
    #expect(forecast(after: 1, arrived: 1, microseconds: 500).count == 2)
  }

  @Test func `are waited for as long as a commit takes, and half a millisecond, at the most`() {
    #expect(forecast(after: 8, arrived: 0, microseconds: 300).waitNanoseconds == 300_000)
    #expect(forecast(after: 8, arrived: 0, microseconds: 9_000).waitNanoseconds == 500_000)
  }

  @Test func `are none if a commit is shorter than a wait`() {
    #expect(forecast(after: 8, arrived: 3, microseconds: 90).count == 0)
  }
}
