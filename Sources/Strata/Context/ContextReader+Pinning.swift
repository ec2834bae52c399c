// SPDX-License-Identifier: Apache-2.0
import StrataChanges

extension ContextReader {
  /// A save moves a pinned context on to the state that it has made. If the store cannot give its
  /// snapshot now, the next read asks again.
  func movePin() {
    guard isPinned else { return }
    try? takePin()
    isBehind = true
  }

  /// Makes sure that a pinned context has its pin.
  func requirePin() throws {
    if layer.current.pin == nil { try takePin() }
  }

  func takePin() throws { try layer.pin { SharedSnapshot($0) } }
}
