// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Foundation
  import Strata
  import StrataChanges
  import StrataRecord
  import StrataTestSupport
  import Synchronization
  import Testing

  // A root's save goes from its layer into the store while another root commits and a reader takes its
  // view: layers first, then the snapshot, then the tags. A reader that left the tags out would see a
  // mixture in 11 of the 30 orders in which these steps can fall. Here every order is walked.

  @Suite struct `Every interleaving of a root save, another root's commit and a reader` {
    /// The steps of the three. The other root commits after the first save has, because it builds on
    /// it, and never while the first holds the store's write lock.
    private enum Step: String {
      case saveTags, saveCommits, savePublishes, otherCommits, readerCopiesLayers
      case readerTakesSnapshot
    }

    private static let save: [Step] = [.saveTags, .saveCommits, .savePublishes]
    private static let reader: [Step] = [.readerCopiesLayers, .readerTakesSnapshot]

    /// All orders of the steps that keep each actor's own order.
    private static let orders: [[Step]] = merges(save, [.otherCommits], reader).filter { order in
      order.firstIndex(of: .otherCommits)! > order.firstIndex(of: .saveCommits)!
    }

    private static func merges(_ actors: [Step]...) -> [[Step]] { merges(actors) }

    private static func merges(_ actors: [[Step]]) -> [[Step]] {
      if actors.allSatisfy(\.isEmpty) { return [[]] }
      return actors.indices.flatMap { index -> [[Step]] in
        guard let step = actors[index].first else { return [] }
        var rest = actors
        rest[index].removeFirst()
        return merges(rest).map { [step] + $0 }
      }
    }

    /// Two cities, x and y, whose populations two roots set.
    private struct World {
      let container: PersistentContainer
      let other: ContextQueue
      let x: ObjectID
      let y: ObjectID

      init() throws {
        container = try geography()
        other = ContextQueue(parent: container.coordinator)
        (x, y) = try container.root.performAndWait { context in
          let (x, y) = (context.city("x"), context.city("y"))
          try context.save()
          return (x.objectID, y.objectID)
        }
      }

      func read(_ context: ManagedObjectContext) throws -> [Int] {
        [
          try context.existingObject(City.self, with: x).population,
          try context.existingObject(City.self, with: y).population,
        ]
      }
    }

    /// Walks one order.
    ///
    /// - Parameter touchesBoth: whether the first save sets both cities, or x alone.
    /// - Returns: what the reader read.
    private static func walk(_ order: [Step], touchesBoth: Bool) throws -> [Int] {
      let world = try World()
      let (x, y) = (world.x, world.y)
      try world.container.root.performAndWait { context in
        try context.existingObject(City.self, with: x).population = 1
        if touchesBoth { try context.existingObject(City.self, with: y).population = 1 }
      }
      let stepper = Stepper(schema: world.container.coordinator.schema)
      let layer = world.container.root.layer
      let saver = stepper.actor(pausingAt: [.tagged, .committed]) {
        try world.container.root.performAndWait { try $0.save() }
        return []
      }
      let reader = stepper.actor(pausingAt: [.viewTaken]) {
        try world.read(ManagedObjectContext(parent: layer))
      }
      for step in order {
        switch step {
        case .saveTags: saver.go(until: .tagged)
        case .saveCommits: saver.go(until: .committed)
        case .savePublishes: saver.finish()
        case .readerCopiesLayers: reader.go(until: .viewTaken)
        case .readerTakesSnapshot: reader.finish()
        case .otherCommits:
          try world.other.performAndWait { context in
            context.reset()
            try context.existingObject(City.self, with: x).population = 2
            try context.existingObject(City.self, with: y).population = 2
            try context.save()
          }
        }
      }
      stepper.end()
      _ = try saver.result.get()
      return try reader.result.get()
    }

    @Test(arguments: orders.indices)
    func `shows the reader one state, never a mixture`(index: Int) throws {
      let order = Self.orders[index]
      let isNew =
        order.firstIndex(of: .otherCommits)! < order.firstIndex(of: .readerTakesSnapshot)!
      let seen = try Self.walk(order, touchesBoth: true)
      #expect(seen == (isNew ? [2, 2] : [1, 1]), "\(order.map(\.rawValue))")
    }

    @Test(arguments: orders.indices)
    func `does not tear the other's commit, where the save sets one of its objects`(
      index: Int
    ) throws {
      let order = Self.orders[index]
      let seen = try Self.walk(order, touchesBoth: false)
      #expect(seen == [1, 0] || seen == [2, 2], "\(order.map(\.rawValue))")
    }

    @Test func `are all there are`() {
      #expect(Self.orders.count == 30)
    }
  }

  @Suite struct `A child that reads while its parent and a cousin push` {
    @Test func `sees each save whole, in whatever order they fall`() throws {
      // P pushes x = 1 to the root, then D pushes x = 2, y = 2; G is a child of P.
      for viewIndex in 0...2 {
        let container = try geography()
        let (p, d) = (container.newBackgroundContext(), container.newBackgroundContext())
        let g = ContextQueue(parent: p)
        let (x, y) = try container.root.performAndWait { context in
          let (x, y) = (context.city("x"), context.city("y"))
          try context.save()
          return (x.objectID, y.objectID)
        }
        try p.performAndWait { try $0.existingObject(City.self, with: x).population = 1 }
        try d.performAndWait { context in
          for id in [x, y] { try context.existingObject(City.self, with: id).population = 2 }
        }
        var seen: [Int] = []
        for step in 0...2 {
          if step == viewIndex {
            seen = try g.performAndWait { context in
              try [x, y].map { try context.existingObject(City.self, with: $0).population }
            }
          }
          if step == 0 { try p.performAndWait { try $0.save() } }
          if step == 1 { try d.performAndWait { try $0.save() } }
        }
        #expect(seen == [1, 0] || seen == [2, 2], "view at \(viewIndex)")
      }
    }

    @Test func `never sees half of one, however they race`() async throws {
      let container = try geography()
      let (p, d) = (container.newBackgroundContext(), container.newBackgroundContext())
      let g = ContextQueue(parent: p)
      let ids = try await container.root.perform { context in
        let ids = ["x", "y"].map { context.city($0).objectID }
        try context.save()
        return ids
      }
      let rounds = 200
      async let pushes: Void = {
        for round in 1...rounds {
          try await d.perform { context in
            context.reset()
            for id in ids { try context.existingObject(City.self, with: id).population = round }
            try context.save()
          }
          try await p.perform { context in
            context.city("noise \(round)")
            try context.save()
          }
        }
      }()
      for _ in 0..<rounds {
        let seen = try await g.perform { context in
          context.reset()
          return try ids.map { try context.existingObject(City.self, with: $0).population }
        }
        #expect(Set(seen).count == 1)
      }
      try await pushes
    }
  }

  /// Runs threads from pause point to pause point, one at a time.
  private final class Stepper: Sendable {
    private let schema: Schema
    private let actors = Mutex<[Actor]>([])

    init(schema: Schema) {
      self.schema = schema
      PausePoint.observe(schema) { [weak self] point in self?.reached(point) }
    }

    func end() { PausePoint.observe(schema, nil) }

    func actor(
      pausingAt points: Set<PausePoint>, _ body: @escaping @Sendable () throws -> [Int]
    ) -> Actor {
      let actor = Actor(points: points, body: body)
      actors.withLock { $0.append(actor) }
      return actor
    }

    /// A pause point belongs to the actor that is running towards it: only one runs at a time.
    private func reached(_ point: PausePoint) {
      let actor = actors.withLock { $0.first { $0.isRunning(towards: point) } }
      actor?.pause()
    }

    final class Actor: Sendable {
      private struct State {
        var target: PausePoint?
        var isStarted = false
        var result: Result<[Int], any Error>?
      }

      private let points: Set<PausePoint>
      private let body: @Sendable () throws -> [Int]
      private let state = Mutex(State())
      private let mayRun = DispatchSemaphore(value: 0)
      private let hasStopped = DispatchSemaphore(value: 0)

      init(points: Set<PausePoint>, body: @escaping @Sendable () throws -> [Int]) {
        self.points = points
        self.body = body
      }

      var result: Result<[Int], any Error> {
        state.withLock { $0.result } ?? .failure(CancellationError())
      }

      /// Runs the actor until it reaches `point`.
      func go(until point: PausePoint) { run(towards: point) }

      /// Runs the actor to its end.
      func finish() { run(towards: nil) }

      private func run(towards point: PausePoint?) {
        let isNew = state.withLock { state in
          state.target = point
          defer { state.isStarted = true }
          return !state.isStarted
        }
        if isNew {
          Thread { [self] in
            let result = Result { try body() }
            state.withLock { $0.result = result }
            hasStopped.signal()
          }.start()
        } else {
          mayRun.signal()
        }
        hasStopped.wait()
      }

      func isRunning(towards point: PausePoint) -> Bool {
        points.contains(point) && state.withLock { $0.target == point }
      }

      func pause() {
        state.withLock { $0.target = nil }
        hasStopped.signal()
        mayRun.wait()
      }
    }
  }
#endif
