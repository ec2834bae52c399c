// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataDump

/// The exit codes of the tool. Except for 1, they are those of sysexits.h.
///
/// | code | meaning |
/// | --- | --- |
/// | 0 | done |
/// | 1 | done, and the answer is bad: damage, lost data, a migration that cannot be inferred |
/// | 64 | wrong arguments: an unknown option, entity or property, a bad predicate |
/// | 65 | the input is not a store, a dump or a model, or is damaged |
/// | 66 | the input file does not exist |
/// | 70 | an error that the tool does not know |
/// | 73 | the output file exists already, or its folder does not exist |
/// | 74 | reading or writing failed: the disk is full, a pipe was closed, a port is taken |
/// | 75 | the store is in use; try again later |
/// | 77 | a permission is missing |
enum ToolExit: Int32 {
  case findings = 1
  case usage = 64
  case badInput = 65
  case inputMissing = 66
  case software = 70
  case cannotCreate = 73
  case inputOutput = 74
  case inUse = 75
  case permission = 77

  init(_ error: any Error) {
    self =
      switch error {
      case let error as ToolError: Self(error)
      case StoreError.uniquenessViolations: .findings
      case let error as StoreError: Self(error)
      case is QueryError, is PredicateFormatError, is ContextError: .usage
      case is DumpMistake, is ModelError: .badInput
      default: .software
      }
  }

  private init(_ error: ToolError) {
    self =
      switch error {
      case .fileMissing: .inputMissing
      case .unknownEntity, .unknownProperty, .usage: .usage
      case .dumpLine, .modelFile, .readerCrashed: .badInput
      case .output, .input: .inputOutput
      case .port(_, EACCES): .permission
      case .port: .inputOutput
      }
  }

  private init(_ error: StoreError) {
    self =
      switch error {
      case .storeMissing: .inputMissing
      case .fileExists, .folderMissing: .cannotCreate
      case .storeInUse, .storeBusy, .wouldDeadlock, .snapshotHeld, .modelChanged: .inUse
      case .permissionDenied, .readOnly: .permission
      case .notAStrataStore, .unsupportedFormat, .damaged, .modelMismatch: .badInput
      case .diskFull, .deletionTooLarge, .storeFull, .serialsExhausted, .serialsUnreserved,
        .tooManyModels, .storage, .fileReplaced:
        .inputOutput
      case .historyNotKept, .historyTooOld, .foreignHistoryToken, .malformedNames: .usage
      default: .software
      }
  }
}
