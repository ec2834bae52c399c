// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

/// An error of the tool itself. Errors of Strata are shown as they are.
enum ToolError: Error {
  /// There is no file at the path.
  case fileMissing(path: String)
  case unknownEntity(name: String, known: [String])
  case unknownProperty(name: String, entity: String, known: [String])
  /// An argument is wrong in a way that the parser of arguments cannot know.
  case usage(String)
  /// A line of a dump, from 1, cannot be loaded.
  case dumpLine(number: Int, reason: String)
  /// A file of a model cannot be read.
  case modelFile(path: String, reason: String)
  /// The standard output, or the standard input, does not work.
  case output(String)
  case input(String)
  /// The process that reads the store was ended by a signal.
  case readerCrashed(signal: Int32)
  /// The system does not let a server listen on the port, for the reason `errno` says.
  case port(UInt16, Int32)
}

extension ToolError: CustomStringConvertible {
  var description: String {
    switch self {
    case .fileMissing(let path): "There is no file at \(path). Check the path."
    case .unknownEntity(let name, let known):
      "The store has no entity \(name). It has: \(known.joined(separator: ", "))."
    case .unknownProperty(let name, let entity, let known):
      "\(entity) has no property \(name). It has: \(known.joined(separator: ", "))."
    case .usage(let text): text
    case .dumpLine(let number, let reason):
      "Line \(number) of the dump cannot be loaded: \(reason). Nothing was created."
    case .modelFile(let path, let reason):
      "\(path) is not a model: \(reason). Compare it with the output of “strata model --json”."
    case .output(let reason): "The output cannot be written: \(reason)."
    case .input(let reason): "The input cannot be read: \(reason)."
    case .readerCrashed(let signal):
      "The file is so damaged that reading it ended the process with signal \(signal). Stop "
        + "writing to the store, and restore a backup."
    case .port(let port, let code):
      "The port \(port) of 127.0.0.1 cannot be used: \(String(cString: strerror(code))). Choose "
        + "another one with --port, or leave it out: a free one is taken."
    }
  }
}
