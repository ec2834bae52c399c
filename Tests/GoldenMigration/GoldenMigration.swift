// SPDX-License-Identifier: Apache-2.0
import Foundation
import GoldenModels
import Strata

/// The second version of the quickstart's program.
///
/// `GoldenMigration <store> migrate` opens a store of the first version by a staged migration. It
/// says `opening` before and `opened` afterwards.
///
/// `GoldenMigration <store> kill <rounds> <seed>` lets processes migrate copies of such a store,
/// and kills each process at a random moment. After each kill the copy must have the first version
/// or the second one, and the facts of the store.
@main enum GoldenMigration {
  static func main() throws {
    let arguments = CommandLine.arguments
    let store = arguments.dropFirst().first.map { URL(fileURLWithPath: $0) }
    switch (store, arguments.dropFirst(2).first, arguments.count) {
    case (let store?, "migrate", 3): try migrate(store)
    case (let store?, "kill", 5):
      guard let rounds = Int(arguments[3]), let seed = UInt64(arguments[4]) else { fallthrough }
      let problems = try MigrationKills(of: store, seed: seed).run(rounds)
      exit(problems == 0 ? 0 : 1)
    default:
      print("usage: GoldenMigration <store> migrate | kill <rounds> <seed>")
      exit(64)
    }
  }

  private static func migrate(_ store: URL) throws {
    let (model, plan) = (try Staged.model(), try Staged.plan())
    FileHandle.standardOutput.write(Data("opening\n".utf8))
    _ = try PersistentContainer(at: store, model: model, migratingWith: plan)
    FileHandle.standardOutput.write(Data("opened\n".utf8))
  }
}
