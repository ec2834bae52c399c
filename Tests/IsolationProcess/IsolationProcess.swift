// SPDX-License-Identifier: Apache-2.0
import Foundation
import IsolationHistory

/// One of several processes that work on one store and record it.
///
/// `IsolationProcess <store> <number> <processes> <seed> <rounds> <output>`: it says `ready`, waits
/// for a line, works, and writes its history to the file `output`.
@main enum IsolationProcess {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 6, let number = Int(arguments[1]), let processes = Int(arguments[2]),
      let seed = UInt64(arguments[3]), let rounds = Int(arguments[4])
    else {
      print("usage: IsolationProcess <store> <number> <processes> <seed> <rounds> <output>")
      exit(64)
    }
    let arrangement = try Arrangement(
      storeAt: URL(fileURLWithPath: arguments[0]), process: number, of: processes)
    print("ready")
    fflush(nil)
    _ = readLine()
    let history = try arrangement.run(seed: seed, rounds: rounds)
    try JSONEncoder().encode(history).write(to: URL(fileURLWithPath: arguments[5]))
  }
}
