// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import Testing

#if os(Linux)
  @Suite struct `A forked child` {
    /// Swift hides `fork`, for good reasons; this finds it.
    private static let fork: (@convention(c) () -> pid_t)? = dlsym(nil, "fork").map {
      // Safety: fork() has this type on Linux.
      unsafeBitCast($0, to: (@convention(c) () -> pid_t).self)
    }

    @Test func `is refused, and leaves the parent's readers alone`() throws {
      let scratch = try ScratchEnvironment()
      let environment = try scratch.open()
      let tree = try environment.makeTree("a", ["k": "v"])
      let transaction = try environment.read()
      let fork = try #require(Self.fork)

      let child = fork()
      if child == 0 {
        // Nothing that allocates much or locks: the other threads are not here.
        var refusals: Int32 = 0
        do { _ = try environment.read() } catch { refusals += error == .forked ? 1 : 0 }
        do { try environment.submit {} } catch { refusals += error == .forked ? 1 : 0 }
        do { try transaction.renew() } catch { refusals += error == .forked ? 1 : 0 }
        do { _ = try scratch.open() } catch { refusals += error as? LMDBError == .forked ? 1 : 0 }
        transaction.end()
        _exit(refusals)
      }
      var status: Int32 = 0
      #expect(waitpid(child, &status, 0) == child)
      #expect(status >> 8 == 4 && status & 0x7F == 0, "status \(status)")
      #expect(try transaction.text("k", in: tree) == "v")
      #expect(try environment.statistics().oldestReaderTransactionID == transaction.transactionID)
    }
  }
#endif
