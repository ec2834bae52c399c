// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import Foundation
import Strata

/// Saves to the store at its argument until it is killed: from a worker to the root in memory, from
/// the root to the disk. It says `opening`, `saving <sequence>` before a save to the disk, and
/// `saved <sequence>` when the disk has it.
@main enum Writer {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      say("usage: CrashWriter <store>")
      exit(64)
    }
    let model = try Ledger.model()
    say("opening")
    let container = try PersistentContainer(
      at: URL(fileURLWithPath: CommandLine.arguments[1]), model: model)
    let worker = container.newBackgroundContext()
    var sequence = try await worker.perform { try $0.fetch(Progress.all).first?.latest ?? 0 }
    while true {
      sequence += 1
      let next = sequence
      try await worker.perform { context in
        try Ledger.write(next, in: context)
        try context.save()
      }
      say("saving \(sequence)")
      if next.isMultiple(of: 2) {
        try await container.root.save()
      } else {
        try await container.root.perform { try $0.save() }
      }
      say("saved \(sequence)")
    }
  }

  /// Unbuffered: what was said before the end is heard.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
