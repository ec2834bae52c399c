// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Foundation
  import Strata
  import StrataChanges

  /// Two writers and a reader, step by step: the code of each, and its meaning in the model.
  struct Interleaving: Sendable {
    /// One of the three.
    struct Part: Sendable {
      let name: String
      let stops: [PausePoint]
      /// The events of its steps, one for each: a step ends at a stop, the last one at the end.
      /// More than one list if a planted fault stretches one event over two steps: the reader may
      /// see it in either.
      let events: [[InterleavingModel.Event]]
      /// The steps between which this part holds the store's write lock.
      var writing: Range<Int>?

      var stepCount: Int { stops.count + 1 }
    }

    var parts: [Part]
    let pending: [InterleavingPlace: [Int?]]
    /// Where the reader stands.
    let readerChain: [InterleavingPlace]
    /// Whether the reader has read before the first step, and has a copy of the layers.
    var readerHasRead = false
    /// How many views the reader takes.
    var viewCount = 1
    var policy = MergePolicy.mergeByPropertyObjectTrump
    var fillsDisk = false
    /// The values that the root sets in a turn of its own before it saves.
    var rootTurn: [Int?]?
    /// Orders that are none, beside those in which two hold the write lock.
    var isPossible: @Sendable ([Int]) -> Bool = { _ in true }

    /// All orders of the steps of the parts: each names the part that makes a step. A writer would
    /// wait for another, which is no order of steps.
    var orders: [[Int]] {
      Self.orders(of: parts.map(\.stepCount)) { done in
        parts.indices.filter { parts[$0].writing?.contains(done[$0]) ?? false }.count > 1
      }.filter(isPossible)
    }

    /// All orders of the steps of parts, from the number of steps of each.
    ///
    /// - Parameter isRefused: whether no order may have a state: the number of steps that each part
    ///   has done.
    static func orders(
      of stepCounts: [Int], isRefused: ([Int]) -> Bool = { _ in false }
    ) -> [[Int]] {
      var orders: [[Int]] = []
      var order: [Int] = []
      var done = stepCounts.map { _ in 0 }
      func extend() {
        if isRefused(done) { return }
        if done == stepCounts { orders.append(order) }
        for part in stepCounts.indices where done[part] < stepCounts[part] {
          order.append(part)
          done[part] += 1
          extend()
          done[part] -= 1
          order.removeLast()
        }
      }
      extend()
      return orders
    }

    /// The states that the model allows the reader of `order` to see.
    func allowed(in order: [Int]) -> Set<[Int]> {
      var choices: [[[InterleavingModel.Event]]] = [[]]
      for part in parts { choices = choices.flatMap { so in part.events.map { so + [$0] } } }
      return Set(choices.map { events in model(after: order, events).seen })
    }

    private func model(
      after order: [Int], _ events: [[InterleavingModel.Event]]
    ) -> InterleavingModel {
      var model = InterleavingModel(pending: pending, readerChain: readerChain)
      var rest = events.map { $0[...] }
      for part in order {
        if let event = rest[part].popFirst() { model.take(event) }
      }
      return model
    }

    /// The final state of the model: a late reader's view, and the store after the root has saved
    /// the rest.
    func outcome(of order: [Int]) -> (seen: [Int], stored: [Int]) {
      var model = model(after: order, parts.map { $0.events[0] })
      model.take(.copiesLayers)
      model.take(.takesSnapshot)
      let seen = model.view
      for event in [.takes(.root), .commits(.root)] as [InterleavingModel.Event] {
        model.take(event)
      }
      return (seen, model.stored)
    }
  }

  extension Interleaving {
    /// The result of walking orders.
    struct Tally {
      /// How many orders there are.
      var orderCount = 0
      var walkedCount = 0
      /// An order, the view of its reader and the allowed views.
      var mistakes: [String] = []
    }

    /// Walks the orders until `mistakeCountMax` are wrong, on a thread of its own: it blocks, and
    /// Swift's pool has few threads.
    ///
    /// - Parameter share: one of this many orders is walked, beginning with the first.
    func walk(
      every share: Int = 1, mistakeCountMax: Int, on stage: InterleavingStage
    ) async throws -> Tally {
      try await withCheckedThrowingContinuation { continuation in
        Thread {
          continuation.resume(with: Result { try walkAll(every: share, mistakeCountMax, stage) })
        }.start()
      }
    }

    private func walkAll(
      every share: Int, _ mistakeCountMax: Int, _ stage: InterleavingStage
    ) throws -> Tally {
      let orders = orders
      var tally = Tally(orderCount: orders.count)
      for place in stride(from: 0, to: orders.count, by: share) {
        tally.walkedCount += 1
        guard let mistake = try walk(orders[place], on: stage) else { continue }
        tally.mistakes.append(mistake)
        if tally.mistakes.count == mistakeCountMax { break }
      }
      return tally
    }

    /// - Returns: a view that is not allowed; nil if there is none.
    private func walk(_ order: [Int], on stage: InterleavingStage) throws -> String? {
      let scene = try InterleavingScene(
        on: stage, pending: pending, policy: policy, readerAbove: readerChain[0])
      if readerHasRead { _ = try scene.readAgain() }
      let stepper = Stepper(schema: stage.schema)
      defer {
        stepper.end()
        stage.disk?.free()
      }
      let actors = parts.map { part in
        stepper.actor(
          part.name, stops: part.stops,
          arriving: { [fillsDisk] point in
            guard fillsDisk else { return }
            if point == .tagged, part.name == "root" { stage.disk?.fill() }
            if point == .refused { stage.disk?.free() }
          }, body(part, in: scene))
      }
      for part in order { try actors[part].step() }
      stepper.end()
      let steps = order.map { parts[$0].name }.joined(separator: " ")
      guard let reader = zip(parts, actors).first(where: { $0.0.name == "reader" })?.1 else {
        return "nobody reads"
      }
      let (seen, allowed) = (try reader.result(), allowed(in: order))
      guard allowed.contains(seen) else { return "\(steps): \(seen), not one of \(allowed)" }
      return try ending(of: order, in: scene).map { "\(steps): \($0)" }
    }

    /// The code of each part.
    private func body(
      _ part: Part, in scene: InterleavingScene
    ) -> @Sendable () throws -> [Int] {
      let viewCount = viewCount
      let isRefused = part.stops.contains(.refused)
      let rootTurn = rootTurn
      switch part.name {
      case "reader": return { try (0..<viewCount).flatMap { _ in try scene.readAgain() } }
      case "root":
        return {
          if let rootTurn { try scene.turnOfRoot(setting: rootTurn) }
          do {
            try scene.root.save()
            if isRefused { return [] }
          } catch is StoreError where isRefused {}
          scene.root.processPendingChanges()
          return []
        }
      case "other": return { try Self.save(scene.other) }
      case "worker": return { try Self.save(scene.worker) }
      default: return { try Self.save(scene.sibling) }
      }
    }

    private static func save(_ queue: ContextQueue) throws -> [Int] {
      try queue.performAndWait { try $0.save() }
      return []
    }

    /// Whether the final state is correct: nothing lost, nothing left over.
    private func ending(of order: [Int], in scene: InterleavingScene) throws -> String? {
      let expected = outcome(of: order)
      let seen = try scene.read(above: readerChain[0])
      if seen != expected.seen { return "in the end \(seen), not \(expected.seen)" }
      scene.root.mergePolicy = .mergeByPropertyObjectTrump
      try scene.root.save()
      let stored = try scene.readStore()
      return stored == expected.stored ? nil : "stored \(stored), not \(expected.stored)"
    }
  }
#endif
