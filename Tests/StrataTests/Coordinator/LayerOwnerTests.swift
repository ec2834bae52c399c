// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataChanges
import Synchronization
import Testing

/// How far down the stack the caller is.
private func stackAddress() -> UInt {
  var mark: UInt8 = 0
  return withUnsafeMutablePointer(to: &mark) { UInt(bitPattern: $0) }
}

/// The place of the stack at which a closure was called last.
private final class Depth: Sendable {
  private let address = Atomic<UInt>(0)

  func note() { address.store(stackAddress(), ordering: .relaxed) }

  /// The bytes of stack between the caller and the place that `call` led to.
  func byteCount(of call: () -> Void) -> Int {
    let start = stackAddress()
    call()
    return Int(start) - Int(address.load(ordering: .relaxed))
  }
}

@Suite struct `The owner of a layer` {
  private let layer: ContextLayer

  init() throws {
    let coordinator = try geography().coordinator
    layer = ContextLayer(parent: nil, lock: LayerLock(), source: coordinator)
  }

  @Test func `is notified of the thousandth push in as few steps as of the first`() {
    let depth = Depth()
    layer.onArrival { depth.note() }
    let first = depth.byteCount { layer.announceArrival() }
    for _ in 0..<1_000 { layer.announceArrival() }
    #expect(depth.byteCount { layer.announceArrival() } == first)
  }

  @Test func `is asked to be kept for the thousandth child by as short a way as for the first`() {
    let depth = Depth()
    layer.onKeeperRequest {
      depth.note()
      return nil
    }
    let first = depth.byteCount { _ = layer.ownerKeeper }
    for _ in 0..<1_000 { _ = layer.ownerKeeper }
    #expect(depth.byteCount { _ = layer.ownerKeeper } == first)
  }
}
