// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `A process that died in a read transaction` {
  /// Opens the file in another process, which dies with `count` read transactions open.
  private func dieReading(_ path: String, count: Int, byteCountMax: Int) async {
    await #expect(processExitsWith: .success) { [path, count, byteCountMax] in
      var options = EnvironmentOptions()
      options.byteCountMax = byteCountMax
      let environment = try Environment.open(at: path, options: options)
      var transactions: [ReadTransaction] = []
      for _ in 0..<count { transactions.append(try environment.read()) }
      _exit(0)
    }
  }

  @Test func `pins its snapshot until dead readers are cleared`() async throws {
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    try environment.makeTree("a")
    await dieReading(scratch.path, count: 3, byteCountMax: 1 << 28)
    try environment.makeTree("b")
    #expect(try environment.statistics().oldestReaderLag == 1)
    #expect(environment.clearDeadReaders() == 3)
    #expect(try environment.statistics().oldestReaderTransactionID == nil)
  }

  @Test func `is cleared when the slots run out`() async throws {
    let scratch = try ScratchEnvironment(readerCountMax: 4)
    let environment = try scratch.open()
    await dieReading(scratch.path, count: 4, byteCountMax: 1 << 28)
    #expect(try environment.statistics().readerCount == 4)
    let transaction = try environment.read()
    #expect(try environment.statistics().readerCount == 1)
    withExtendedLifetime(transaction) {}
  }

  @Test func `is cleared by commits, now and then`() async throws {
    let scratch = try ScratchEnvironment()
    let environment = try scratch.open()
    let tree = try environment.makeTree("a")
    await dieReading(scratch.path, count: 1, byteCountMax: 1 << 28)
    for number in 0..<200 {
      try environment.writeSync { try $0.put("k", "\(number)", in: tree) }
    }
    #expect(try environment.statistics().readerCount == 0)
  }
}
