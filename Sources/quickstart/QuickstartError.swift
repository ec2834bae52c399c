// SPDX-License-Identifier: Apache-2.0

/// An error that ends the program. Its description is printed to stderr. The exit codes are defined
/// by sysexits.h.
enum QuickstartError: Error {
  /// The arguments are invalid. Exit code 64.
  case usage(String)
  /// A line of a table is malformed; lines count from 1. Exit code 65.
  case malformed(file: String, line: Int, problem: String)
  /// A file of the data folder is missing or cannot be read. Exit code 66.
  case unreadable(path: String, problem: String)
  /// The folder of the store does not exist and cannot be created. Exit code 73.
  case noStoreFolder(path: String, problem: String)

  var exitCode: Int32 {
    switch self {
    case .usage: 64
    case .malformed: 65
    case .unreadable: 66
    case .noStoreFolder: 73
    }
  }
}

extension QuickstartError: CustomStringConvertible {
  var description: String {
    switch self {
    case .usage(let problem): "quickstart: \(problem)\nTry quickstart --help."
    case .malformed(let file, let line, let problem): "\(file):\(line): \(problem)"
    case .unreadable(let path, let problem): "quickstart: cannot read \(path): \(problem)"
    case .noStoreFolder(let path, let problem): "quickstart: cannot make \(path): \(problem)"
    }
  }
}
