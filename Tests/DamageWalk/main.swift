// SPDX-License-Identifier: Apache-2.0
//
// Damages files of a store, and has a process for each read it, change it and read it again. A
// process has to end with the right facts or with a typed error.
//
//   DamageWalk run COUNT SEED [KIND…]     damages COUNT files of each kind
//   DamageWalk find COUNT SEED [KIND…]    the same, up to the first bad result
//   DamageWalk read | check STORE         reads and changes one store, as a process of its own;
//                                         check: whatever the stamp of the file says
//
// Of each three files, one has no stamp of a sound file, one has a stamp, and one has a stamp and
// is checked all the same. `STRATA_DAMAGE_STAMP` has all files be of one of these: `missing`,
// `kept` or `ignored`.
//
// `STRATA_DAMAGE_OUT` names a folder for the files with a bad result.

import Foundation
import Strata
import StrataTestSupport

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "read" where arguments.count == 3, "check" where arguments.count == 3:
  Reading.run(URL(fileURLWithPath: arguments[2]), alwaysChecking: arguments[1] == "check")
case "run" where arguments.count >= 4, "find" where arguments.count >= 4:
  guard let count = Int(arguments[2]), let seed = UInt64(arguments[3]) else { usage() }
  let kinds = arguments.dropFirst(4).compactMap(Damage.init(rawValue:))
  guard kinds.count == arguments.count - 4 else { usage() }
  let survey = try Survey(seed: seed)
  let stamp = ProcessInfo.processInfo.environment["STRATA_DAMAGE_STAMP"]
    .flatMap(Survey.Stamp.init(rawValue:))
  let isClean = try survey.run(
    count, of: kinds.isEmpty ? Damage.allCases : kinds,
    stamp.map { [$0] } ?? Survey.Stamp.allCases, endsAtFirst: arguments[1] == "find")
  exit(isClean ? 0 : 1)
default: usage()
}

func usage() -> Never {
  print("usage: DamageWalk run | find COUNT SEED [KIND…] | read | check STORE")
  print("kinds: \(Damage.allCases.map(\.rawValue).joined(separator: " "))")
  exit(64)
}
