// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `A file that its users have let go` {
  private let scratch: ScratchEnvironment

  init() throws { scratch = try ScratchEnvironment() }

  /// Submits a job that answers at once and ends when it may, and lets the environment go.
  private func leave(_ mayEnd: DispatchSemaphore) throws {
    let environment = try scratch.open()
    try environment.makeTree("a")
    let hasAnswered = DispatchSemaphore(value: 0)
    try environment.submit {
      hasAnswered.signal()
      mayEnd.wait()
    }
    hasAnswered.wait()
  }

  /// As after `await coordinator.backUp(…)`: the caller goes on before the writer's thread does.
  @Test func `is free though a job of the writer has answered and not ended`() throws {
    let mayEnd = DispatchSemaphore(value: 0)
    try leave(mayEnd)
    Thread.detachNewThread {
      usleep(50_000)
      mayEnd.signal()
    }
    #expect(try FileUse.exclusively(scratch.path) { true } == true)
  }

  @Test func `is in use while an environment has it, also in a job of its writer`() throws {
    let environment = try scratch.open()
    try environment.makeTree("a")
    let path = scratch.path
    #expect(try FileUse.exclusively(path) { true } == nil)
    let result = try environment.writeSync { _ in try FileUse.exclusively(path) { true } }
    #expect(result == nil)
    try environment.submit {}
    #expect(try FileUse.exclusively(path) { true } == nil)
  }

  /// Long: what a race would show.
  @Test func `is free each time after an answer of the writer`() async throws {
    for _ in 0..<500 {
      try await Self.write(in: scratch)
      let isFree = try FileUse.exclusively(scratch.path) { true }
      #expect(isFree == true)
    }
  }

  private static func write(in scratch: ScratchEnvironment) async throws {
    let environment = try scratch.open()
    try await withCheckedThrowingContinuation { (answer: CheckedContinuation<Void, any Error>) in
      do {
        try environment.submit { answer.resume() }
      } catch {
        answer.resume(throwing: error)
      }
    }
  }
}
