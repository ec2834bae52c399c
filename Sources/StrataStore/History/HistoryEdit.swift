// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataModel
import StrataRecord

/// A change of the history itself, which a store performs in its turn among the saves.
package enum HistoryEdit: Sendable {
  /// Keeps transactions from now on; changes the retention, if they are kept already.
  case keep(HistoryRetention)
  /// Keeps none from now on, and deletes those that are there. Consumers stay.
  case stop
  /// Deletes the transactions up to and including the one of a token.
  case delete(through: HistoryToken)
  /// Sets the token that a consumer has reached, unless it has reached a later one. Adds the
  /// consumer if the store does not have it.
  case advanceConsumer(String, to: HistoryToken)
  /// Adds a consumer that has seen nothing, unless the store has it.
  case addConsumer(String)
  case removeConsumer(String)

  /// Performs the edit.
  ///
  /// - Parameter generation: the generation of the last save.
  /// - Returns: whether anything was written.
  /// - Throws: `StoreError.historyNotKept`, `.foreignHistoryToken`, `.historyTooOld`, with nothing
  ///   written; `.damaged`, `.storage`; `LMDBError`.
  func perform(
    in transaction: WriteTransaction, _ schema: Schema, generation: UInt64
  ) throws -> Bool {
    if case .keep(let retention) = self {
      try Self.keep(retention, in: transaction, schema, generation: generation)
      return true
    }
    guard var writer = try HistoryWriter(in: transaction, schema) else {
      if case .stop = self { return false }
      throw StoreError.historyNotKept
    }
    let reader = HistoryReader(transaction, writer.tree, schema)
    switch self {
    case .keep: break
    case .stop:
      let newest = try reader.token(of: generation, writer.state)
      let consumers = try reader.consumers()
      try transaction.clear(writer.tree)
      for (name, reached) in consumers { try writer.setConsumer(name, reached: reached) }
      writer.state.isKept = false
      writer.state.raiseFloor(to: generation, mark: newest.mark)
      writer.state.byteCount = 0
    case .delete(let token):
      try reader.check(token, writer.state, upTo: generation)
      try writer.deleteAll(upTo: token.generation)
    case .advanceConsumer(let name, let token):
      try reader.check(token, writer.state, upTo: generation)
      if let reached = try reader.consumers()[name], reached >= token.generation { return false }
      if token.generation < writer.state.floor {
        throw StoreError.historyTooOld(
          oldest: try reader.token(of: writer.state.floor, writer.state))
      }
      try writer.setConsumer(name, reached: token.generation)
    case .addConsumer(let name):
      if try reader.consumers()[name] != nil { return false }
      try writer.setConsumer(name, reached: writer.state.floor)
    case .removeConsumer(let name):
      _ = try HistoryKey.consumer(name).withUnsafeBytes {
        try transaction.delete($0, in: writer.tree)
      }
    }
    try writer.state.write(in: transaction)
    return true
  }

  private static func keep(
    _ retention: HistoryRetention, in transaction: WriteTransaction, _ schema: Schema,
    generation: UInt64
  ) throws {
    var state =
      try HistoryState(in: transaction) ?? HistoryState(floor: generation, retention: retention)
    // Saves without a transaction may have come since the history was stopped.
    if !state.isKept, state.floor < generation { state.raiseFloor(to: generation, mark: nil) }
    state.markFloor()
    state.isKept = true
    state.retention = retention
    _ = try transaction.makeTree(named: HistoryState.treeName)
    try state.write(in: transaction)
  }
}

extension HistoryWriter {
  fileprivate func setConsumer(_ name: String, reached: UInt64) throws {
    try HistoryKey.consumer(name).withUnsafeBytes { key in
      try withUnsafeBytes(of: reached.littleEndian) { try transaction.put(key, $0, in: tree) }
    }
  }
}
