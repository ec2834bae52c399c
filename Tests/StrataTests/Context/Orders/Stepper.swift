// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Foundation
  import StrataChanges
  import StrataRecord
  import Synchronization

  /// Runs threads from pause point to pause point, one at a time, in the order that a test gives:
  /// so an order of steps that a race would meet once in a million runs is met every time.
  ///
  /// Each actor has its own stops, in order; pause points between them are passed. The writer
  /// thread tags for the running actor: all others stand still. Other threads, such as one of
  /// Swift's own pool that integrates a push, are not stopped.
  ///
  /// ## Isolation
  /// Sendable; `step` is called by one thread, the test's.
  final class Stepper: Sendable {
    enum Failure: Error, CustomStringConvertible {
      /// The result of an actor that has not come to its end.
      case unfinished(actor: String)
      /// The actor ended without coming to its next stop.
      case missed(actor: String, PausePoint)

      var description: String {
        switch self {
        case .unfinished(let actor): "\(actor) has not come to its end"
        case .missed(let actor, let point): "\(actor) ended before \(point.rawValue)"
        }
      }
    }

    private let schema: Schema
    private let actors = Mutex<[Actor]>([])

    /// Takes over the pause points of the store that `schema` is of, until `end`.
    init(schema: Schema) {
      self.schema = schema
      PausePoint.observe(schema) { [weak self] point in self?.reached(point) }
    }

    func end() { PausePoint.observe(schema, nil) }

    /// An actor that has not begun.
    ///
    /// - Parameters:
    ///   - stops: where it stops, in order.
    ///   - arriving: called on the thread that comes to a stop, before it stops.
    func actor(
      _ name: String, stops: [PausePoint],
      arriving: @escaping @Sendable (PausePoint) -> Void = { _ in },
      _ body: @escaping @Sendable () throws -> [Int]
    ) -> Actor {
      let actor = Actor(name: name, stops: stops, arriving: arriving, body: body)
      actors.withLock { $0.append(actor) }
      return actor
    }

    private func reached(_ point: PausePoint) {
      let thread = ObjectIdentifier(Thread.current)
      let actor = actors.withLock { actors in
        actors.first { $0.isRunning && (point == .tagged || $0.isRunning(on: thread)) }
      }
      actor?.reached(point)
    }

    final class Actor: Sendable {
      private struct State {
        var stops: ArraySlice<PausePoint>
        var thread: ObjectIdentifier?
        var isRunning = false
        var result: Result<[Int], any Error>?
      }

      private let name: String
      private let arriving: @Sendable (PausePoint) -> Void
      private let body: @Sendable () throws -> [Int]
      private let state: Mutex<State>
      private let mayRun = DispatchSemaphore(value: 0)
      private let hasStopped = DispatchSemaphore(value: 0)

      init(
        name: String, stops: [PausePoint], arriving: @escaping @Sendable (PausePoint) -> Void,
        body: @escaping @Sendable () throws -> [Int]
      ) {
        self.name = name
        self.arriving = arriving
        self.body = body
        state = Mutex(State(stops: stops[...]))
      }

      /// Runs the actor to its next stop, or to its end if there is no other.
      ///
      /// - Throws: `Failure`, and the errors of the body.
      func step() throws {
        let (isNew, stop) = state.withLock { state in
          state.isRunning = true
          return (state.thread == nil, state.stops.first)
        }
        if isNew { start() } else { mayRun.signal() }
        hasStopped.wait()
        if let result = state.withLock({ $0.result }) {
          _ = try result.get()
          if let stop { throw Failure.missed(actor: name, stop) }
        }
      }

      /// The result of the body.
      func result() throws -> [Int] {
        guard let result = state.withLock({ $0.result }) else {
          throw Failure.unfinished(actor: name)
        }
        return try result.get()
      }

      private func start() {
        let thread = Thread { [self] in
          let result = Result { try body() }
          state.withLock { state in
            state.result = result
            state.isRunning = false
          }
          hasStopped.signal()
        }
        state.withLock { $0.thread = ObjectIdentifier(thread) }
        thread.start()
      }

      var isRunning: Bool { state.withLock { $0.isRunning } }

      func isRunning(on thread: ObjectIdentifier) -> Bool {
        state.withLock { $0.thread == thread }
      }

      /// Stops here, if it is the next stop.
      func reached(_ point: PausePoint) {
        guard state.withLock({ $0.stops.first == point }) else { return }
        arriving(point)
        state.withLock { state in
          state.stops.removeFirst()
          state.isRunning = false
        }
        hasStopped.signal()
        mayRun.wait()
      }
    }
  }
#endif
