// SPDX-License-Identifier: Apache-2.0
import StrataStore

extension SaveSession {
  /// Begins a save, which an instrument observes if there is one. The operation ends with the save:
  /// here, or when the save to the store is finished.
  ///
  /// - Parameter begin: begins the save, and returns the save to the store to wait for, or nil.
  @discardableResult
  func observed(_ begin: () throws -> PendingSave?) throws -> PendingSave? {
    guard let instrument = coordinator.instrument else { return try begin() }
    let operation = instrument.begin(.save(isToStore: layer.parent == nil))
    let outer = self.operation
    self.operation = operation
    defer { self.operation = outer }
    do {
      let save = try operation.within(begin)
      if save == nil { operation.end(OperationOutcome()) }
      return save
    } catch {
      operation.end(OperationOutcome(error: error))
      throw error
    }
  }
}
