// SPDX-License-Identifier: Apache-2.0
//
// Damages files of a store, and has a process for each read it, change it and read it again. A
// process has to end with the right facts or with a typed error.
//
//   DamageWalk run COUNT SEED [KIND…]     damages COUNT files of each kind
//   DamageWalk find COUNT SEED [KIND…]    the same, up to the first bad result
//   DamageWalk read STORE                 reads and changes one store, as a process of its own
//
// `STRATA_DAMAGE_OUT` names a folder for the files with a bad result.

import Foundation
import Strata
import StrataTestSupport

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "read" where arguments.count == 3:
  Reading.run(URL(fileURLWithPath: arguments[2]))
case "run" where arguments.count >= 4, "find" where arguments.count >= 4:
  guard let count = Int(arguments[2]), let seed = UInt64(arguments[3]) else { usage() }
  let kinds = arguments.dropFirst(4).compactMap(Damage.init(rawValue:))
  guard kinds.count == arguments.count - 4 else { usage() }
  let survey = try Survey(seed: seed)
  let isClean = try survey.run(
    count, of: kinds.isEmpty ? Damage.allCases : kinds,
    endsAtFirst: arguments[1] == "find")
  exit(isClean ? 0 : 1)
default: usage()
}

func usage() -> Never {
  print("usage: DamageWalk run | find COUNT SEED [KIND…] | read STORE")
  print("kinds: \(Damage.allCases.map(\.rawValue).joined(separator: " "))")
  exit(64)
}
