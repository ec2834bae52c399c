// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs blocking code on a thread of its own, and suspends the caller until it ends: the store and
/// the other tests need the few threads of the pool.
public func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Result { try body() }) }.start()
  }
}
