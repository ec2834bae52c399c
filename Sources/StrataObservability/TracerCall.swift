// SPDX-License-Identifier: Apache-2.0

#if Observability
  import StrataStore

  /// A call of the program's tracer.
  enum TracerCall {
    @TaskLocal private static var isCalled = false

    /// Whether the caller runs within such a call.
    static var isUnderWay: Bool { isCalled }

    static func during<Result>(_ call: () -> Result) -> Result {
      $isCalled.withValue(true, operation: call)
    }
  }

  /// An operation that is not observed.
  struct UnobservedOperation: OperationInProgress {
    func within<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
    func end(_ outcome: OperationOutcome) {}
  }
#endif
