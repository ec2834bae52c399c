// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// Requests from several connections at once, until a number of them was answered or the service
/// is gone.
final class Load: Sendable {
  /// One request of a connection, with the check of its answer. It throws `Connection.Lost`,
  /// `WrongAnswer` or `Refused`.
  typealias Step = (Connection) throws -> Void

  struct Result {
    var answered = 0
    var refused = 0
    var wrong: [String] = []
    var duration = Duration.zero
    /// Ascending.
    var latencies: [Duration] = []

    /// Answers in a second.
    var rate: Double { Double(answered) / (duration / .seconds(1)) }

    func percentile(_ percent: Double) -> Duration {
      latencies.isEmpty ? .zero : latencies[Int(Double(latencies.count - 1) * percent / 100)]
    }
  }

  private let port: Int
  private let requestCount: Int
  private let begun = Atomic(0)
  private let result = Mutex(Result())

  private init(port: Int, requestCount: Int) {
    (self.port, self.requestCount) = (port, requestCount)
  }

  /// Runs a step again and again in each of `steps.count` connections, each in a thread of its own.
  ///
  /// - Parameter onAnswer: is called with the number of the request, from any thread.
  static func run(
    port: Int, requestCount: Int, steps: [@Sendable () -> Step],
    onAnswer: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> Result {
    let load = Load(port: port, requestCount: requestCount)
    let clock = ContinuousClock()
    let duration = clock.measure {
      let threads = DispatchGroup()
      for makeStep in steps {
        threads.enter()
        Thread {
          load.work(makeStep(), onAnswer)
          threads.leave()
        }.start()
      }
      threads.wait()
    }
    var result = load.result.withLock { $0 }
    result.duration = duration
    result.latencies.sort()
    return result
  }

  private func work(_ step: Step, _ onAnswer: (Int) -> Void) {
    var (latencies, wrong, refused): ([Duration], [String], Int) = ([], [], 0)
    let clock = ContinuousClock()
    do {
      let connection = try Connection(port: port)
      while true {
        let number = begun.add(1, ordering: .relaxed).newValue
        guard number <= requestCount else { break }
        do {
          latencies.append(try clock.measure { try step(connection) })
        } catch let error as WrongAnswer {
          wrong.append(error.description)
        } catch is Refused {
          refused += 1
        }
        onAnswer(number)
      }
    } catch is Connection.Lost {
      // The service is gone.
    } catch {
      wrong.append("\(error)")
    }
    result.withLock { result in
      result.answered += latencies.count + wrong.count + refused
      result.refused += refused
      result.latencies += latencies
      result.wrong += wrong
    }
  }
}

/// A right answer of a service that could not change a city, because others were changing it.
struct Refused: Error {}

/// An answer that the ledger refutes.
struct WrongAnswer: Error, CustomStringConvertible {
  let description: String
}
