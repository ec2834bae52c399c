// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Foundation
  import Strata
  import StrataChanges
  import StrataTestSupport
  import Testing

  // Two writers and a reader, in every order in which their steps can fall, against a model in
  // which each event happens at once (`InterleavingModel`). A reader that left the tags out, copied
  // its chain layer by layer, or used an old copy of it again, would see mixtures or an old state
  // in some of these orders: planted, all three are found.

  // Each has a store of its own, and three threads, of which one runs.
  @Suite struct `In every order of their steps` {
    /// The reader's knowledge of the layers when it begins.
    enum Reader: Sendable, CaseIterable {
      /// It has never read, and copies the layers.
      case new
      /// It has a copy of the layers from before the first step, and compares its revisions.
      case withCopy
      /// It reads twice: the copy is of a view that other steps fall into.
      case readingTwice

      var part: Interleaving.Part {
        switch self {
        case .new:
          Interleaving.Part(
            name: "reader", stops: [.viewTaken, .snapshotTaken],
            events: [[.copiesLayers, .takesSnapshot, .none]])
        case .withCopy:
          // The copy counts as made when the revisions are compared: nothing has changed until
          // then. If something has, a copy is made afterwards.
          Interleaving.Part(
            name: "reader", stops: [.revisionsCompared, .viewTaken, .snapshotTaken],
            events: [
              [.copiesLayers, .none, .takesSnapshot, .none],
              [.none, .copiesLayers, .takesSnapshot, .none],
            ])
        case .readingTwice:
          Interleaving.Part(
            name: "reader",
            stops: [.snapshotTaken, .revisionsCompared, .viewTaken, .snapshotTaken],
            events: [
              [
                .inOrder([.copiesLayers, .takesSnapshot]), .inOrder([.endsView, .copiesLayers]),
                .none, .takesSnapshot, .none,
              ],
              [
                .inOrder([.copiesLayers, .takesSnapshot]), .endsView, .copiesLayers,
                .takesSnapshot, .none,
              ],
            ])
        }
      }
    }

    private static let reader = Reader.new.part

    private static let rootSave = Interleaving.Part(
      name: "root", stops: [.tagged, .committed, .published],
      events: [[.takes(.root), .commits(.root), .none, .none]], writing: 1..<2)

    private static let otherSave = Interleaving.Part(
      name: "other", stops: [.tagged], events: [[.takes(.other), .commits(.other)]],
      writing: 1..<2)

    private static let workerPush = Interleaving.Part(
      name: "worker", stops: [.pushed, .turnEnded],
      events: [[.pushes(.worker, to: .root), .none, .none]])

    private static let siblingPush = Interleaving.Part(
      name: "sibling", stops: [.pushed], events: [[.pushes(.sibling, to: .root), .none]])

    private static let chains: [[InterleavingPlace]] = [
      [.root], [.worker, .root], [.grandchild, .worker, .root],
    ]

    /// `swift test` walks every third order, and `.ci/run points` all.
    private static let share =
      ProcessInfo.processInfo.environment["STRATA_ALL_ORDERS"] == "1" ? 1 : 3

    private static func expectRight(
      _ interleaving: Interleaving, readBy reader: Reader = .new, orderCount: Int,
      on stage: InterleavingStage
    ) async throws {
      let tally = try await interleaving.with(reader).walk(
        every: share, mistakeCountMax: 3, on: stage)
      #expect(tally.orderCount == orderCount)
      #expect(tally.mistakes.isEmpty, "\(tally.mistakes.joined(separator: "\n"))")
    }

    private static func expectWrong(
      _ interleaving: Interleaving, readBy reader: Reader = .new, with fault: PlantedFault,
      on stage: InterleavingStage
    ) async throws {
      PlantedFault.plant(fault, in: stage.schema)
      defer { PlantedFault.plant(nil, in: stage.schema) }
      let tally = try await interleaving.with(reader).walk(mistakeCountMax: 1, on: stage)
      print("\(fault): of \(tally.orderCount) orders, number \(tally.walkedCount) is wrong")
      #expect(!tally.mistakes.isEmpty)
    }

    // MARK: - A root save

    private static func rootSave(
      setting values: [Int?], readFrom chain: [InterleavingPlace]
    ) -> Interleaving {
      Interleaving(
        parts: [rootSave, otherSave, reader], pending: [.root: values, .other: [2, 2]],
        readerChain: chain)
    }

    @Test(arguments: [[1, 1], [1, nil]], chains.prefix(2))
    func `a root's save, another root's and a reader show one state`(
      values: [Int?], chain: [InterleavingPlace]
    ) async throws {
      try await Self.expectRight(
        Self.rootSave(setting: values, readFrom: chain), orderCount: 588, on: InterleavingStage())
    }

    @Test(arguments: [[1, 1], [1, nil]])
    func `a view without tags would show a mixture`(values: [Int?]) async throws {
      try await Self.expectWrong(
        Self.rootSave(setting: values, readFrom: [.root]), with: .untaggedView,
        on: InterleavingStage())
    }

    // MARK: - A push

    private static func twoPushes(readFrom chain: [InterleavingPlace]) -> Interleaving {
      Interleaving(
        parts: [workerPush, siblingPush, reader],
        pending: [.worker: [1, nil], .sibling: [2, 2]], readerChain: chain)
    }

    @Test(arguments: chains)
    func `a push, a sibling's push and a reader show each save whole`(
      chain: [InterleavingPlace]
    ) async throws {
      try await Self.expectRight(
        Self.twoPushes(readFrom: chain), orderCount: 560, on: InterleavingStage())
    }

    /// The push shows in the parent's layer first, and the reader's chain is copied in two steps:
    /// each may count as having happened in either of its halves.
    @Test func `a lock for each layer would show half of a push`() async throws {
      let worker = Interleaving.Part(
        name: "worker", stops: [.betweenHolds, .pushed],
        events: [
          [.pushes(.worker, to: .root), .none, .none], [.none, .pushes(.worker, to: .root), .none],
        ])
      let reader = Interleaving.Part(
        name: "reader", stops: [.betweenHolds, .viewTaken],
        events: [[.copiesLayers, .none, .takesSnapshot], [.none, .copiesLayers, .takesSnapshot]])
      let interleaving = Interleaving(
        parts: [worker, Self.siblingPush, reader],
        pending: [.worker: [1, nil], .sibling: [2, 2]], readerChain: [.worker, .root])
      try await Self.expectWrong(interleaving, with: .lockPerLayer, on: InterleavingStage())
    }

    // MARK: - A push during a root save

    private static func pushDuringRootSave(
      of values: [Int?], pushing pushed: [Int?], readFrom chain: [InterleavingPlace]
    ) -> Interleaving {
      let worker = Interleaving.Part(
        name: "worker", stops: [.pushed], events: [[.pushes(.worker, to: .root), .none]])
      return Interleaving(
        parts: [rootSave, worker, reader], pending: [.root: values, .worker: pushed],
        readerChain: chain)
    }

    @Test(arguments: chains.prefix(2))
    func `a push during a root's save and a reader show each save whole`(
      chain: [InterleavingPlace]
    ) async throws {
      for (values, pushed) in [([1, 1], [3, nil]), ([1, nil], [3, 3])] as [([Int?], [Int?])] {
        try await Self.expectRight(
          Self.pushDuringRootSave(of: values, pushing: pushed, readFrom: chain), orderCount: 1260,
          on: InterleavingStage())
      }
    }

    @Test func `a push that is merged and saved would not be taken for saved without its epoch`()
      async throws
    {
      try await Self.expectWrong(
        Self.pushDuringRootSave(of: [1, nil], pushing: [3, 3], readFrom: [.root]),
        with: .forgottenEpoch, on: InterleavingStage())
    }

    // MARK: - All the way down

    /// The worker's changes reach the store by way of the root, and another root sets both cities:
    /// the reader's copy of the worker's changes may be in its snapshot, and older than that.
    private static func wayDown(readFrom chain: [InterleavingPlace]) -> Interleaving {
      let push = Interleaving.Part(
        name: "worker", stops: [], events: [[.pushes(.worker, to: .root)]])
      let save = Interleaving.Part(
        name: "root", stops: [.tagged], events: [[.takes(.root), .commits(.root)]],
        writing: 1..<2)
      return Interleaving(
        parts: [push, save, otherSave, reader],
        pending: [.worker: [1, nil], .root: [nil, 1], .other: [2, 2]],
        readerChain: chain)
    }

    @Test(arguments: chains)
    func `a push, the root's save, another root's and a reader show one state`(
      chain: [InterleavingPlace]
    ) async throws {
      try await Self.expectRight(
        Self.wayDown(readFrom: chain), orderCount: 560, on: InterleavingStage())
    }

    @Test
    func `changes that were pushed and saved would not be taken for saved without their epoch`()
      async throws
    {
      try await Self.expectWrong(
        Self.wayDown(readFrom: [.worker, .root]), with: .forgottenEpoch, on: InterleavingStage())
    }

    // MARK: - A turn and a save

    /// The turn's changes are merged with earlier ones, and the merged ones are saved.
    private static func turnAndSave(readFrom chain: [InterleavingPlace]) -> Interleaving {
      let root = Interleaving.Part(
        name: "root", stops: [.turnEnded, .tagged, .committed],
        events: [[.publishes(.root, [3, 3]), .takes(.root), .commits(.root), .none]],
        writing: 2..<3)
      return Interleaving(
        parts: [root, otherSave, reader], pending: [.root: [1, nil], .other: [2, 2]],
        readerChain: chain, rootTurn: [3, 3])
    }

    @Test(arguments: chains.prefix(2))
    func `a root's turn and its save, another root's and a reader show one state`(
      chain: [InterleavingPlace]
    ) async throws {
      try await Self.expectRight(
        Self.turnAndSave(readFrom: chain), orderCount: 504, on: InterleavingStage())
    }

    @Test
    func `changes that are merged and saved would not be taken for saved without their epoch`()
      async throws
    {
      try await Self.expectWrong(
        Self.turnAndSave(readFrom: [.root]), with: .forgottenEpoch, on: InterleavingStage())
    }

    // MARK: - A copy of the layers

    /// Each writer beside a reader that has a copy: a save, pushes, both, a turn.
    @Test(arguments: [
      (rootSave(setting: [1, nil], readFrom: [.root]), 1_470),
      (rootSave(setting: [1, nil], readFrom: [.worker, .root]), 1_470),
      (twoPushes(readFrom: [.worker, .root]), 1_260),
      (twoPushes(readFrom: [.grandchild, .worker, .root]), 1_260),
      (pushDuringRootSave(of: [1, nil], pushing: [3, 3], readFrom: [.root]), 3_150),
      (pushDuringRootSave(of: [1, 1], pushing: [3, nil], readFrom: [.worker, .root]), 3_150),
      (wayDown(readFrom: [.worker, .root]), 1_260),
      (turnAndSave(readFrom: [.root]), 1_260),
    ])
    func
      `a reader that has a copy of the layers sees one state, and none older than its comparison`(
        interleaving: Interleaving, orderCount: Int
      ) async throws
    {
      try await Self.expectRight(
        interleaving, readBy: .withCopy, orderCount: orderCount, on: InterleavingStage())
    }

    @Test func `a reader with a copy sees a save that the disk refuses as unsaved`() async throws {
      try await Self.expectRight(
        Self.failedSave(readFrom: [.root]), readBy: .withCopy, orderCount: 504,
        on: InterleavingStage(isOnDisk: true))
    }

    @Test func `a reader that reads twice goes by the later state, and never back`() async throws {
      try await Self.expectRight(
        Self.wayDown(readFrom: [.worker, .root]), readBy: .readingTwice, orderCount: 2_520,
        on: InterleavingStage())
    }

    @Test func `a copy that is used again without comparing would show an old state`() async throws
    {
      try await Self.expectWrong(
        Self.twoPushes(readFrom: [.worker, .root]), readBy: .withCopy, with: .staleCopy,
        on: InterleavingStage())
    }

    /// The reader has objects from its first view. A push that it has not seen is committed between
    /// its comparison and its snapshot, and no bookmark names the objects.
    @Test func `objects that are published and saved within one view would be missed`() async throws
    {
      try await Self.expectWrong(
        Self.pushDuringRootSave(of: [1, nil], pushing: [3, 3], readFrom: [.root]),
        readBy: .withCopy, with: .passedBookmarks, on: InterleavingStage())
    }

    // MARK: - A failed save

    /// The disk is full from the moment when the segments are tagged until the saver knows.
    private static func failedSave(readFrom chain: [InterleavingPlace]) -> Interleaving {
      let root = Interleaving.Part(
        name: "root", stops: [.tagged, .refused],
        events: [[.takes(.root), .givesUp(.root), .none]],
        writing: 1..<2)
      return Interleaving(
        parts: [root, otherSave, reader], pending: [.root: [1, nil], .other: [2, 2]],
        readerChain: chain, fillsDisk: true)
    }

    @Test(arguments: chains.prefix(2))
    func `a save that the disk refuses, another root's and a reader show one state`(
      chain: [InterleavingPlace]
    ) async throws {
      try await Self.expectRight(
        Self.failedSave(readFrom: chain), orderCount: 224, on: InterleavingStage(isOnDisk: true))
    }

    @Test func `a tag that stays after a refusal would hide unsaved changes`() async throws {
      try await Self.expectWrong(
        Self.failedSave(readFrom: [.root]), with: .tagStays, on: InterleavingStage(isOnDisk: true))
    }

    @Test(arguments: chains.prefix(2))
    func `a save that conflicts, the one it conflicts with and a reader show one state`(
      chain: [InterleavingPlace]
    ) async throws {
      let root = Interleaving.Part(name: "root", stops: [.refused], events: [[.none, .none]])
      let interleaving = Interleaving(
        parts: [root, Self.otherSave, Self.reader],
        pending: [.root: [1, nil], .other: [2, 2]], readerChain: chain, policy: .error,
        // It conflicts with the committed state, and would wait for a commit under way.
        isPossible: { order in
          order.prefix { $0 != 0 }.count { $0 == 1 } == 2
        })
      try await Self.expectRight(interleaving, orderCount: 35, on: InterleavingStage())
    }
  }

  extension Interleaving {
    /// The same with another reader.
    fileprivate func with(_ reader: `In every order of their steps`.Reader) -> Interleaving {
      var other = self
      other.parts = parts.map { $0.name == "reader" ? reader.part : $0 }
      other.readerHasRead = reader == .withCopy
      other.viewCount = reader == .readingTwice ? 2 : 1
      return other
    }
  }

  @Suite struct `A worker that keeps its objects and saves again and again` {
    /// The root saves twice in between, the worker three times: once it has pushed, it has the
    /// root's own record, of any generation.
    @Test func `is in no conflict with itself, in whatever order the root saves`() throws {
      let coordinator = try geography().coordinator
      let orders = Interleaving.orders(of: [3, 3])
      #expect(orders.count == 20)
      for order in orders {
        // Safety: one actor runs at a time.
        nonisolated(unsafe) let root = ManagedObjectContext(parent: coordinator)
        let worker = ContextQueue(parent: root.layer)
        let id = try ContextQueue(parent: coordinator).performAndWait { context in
          let id = context.city("x").objectID
          try context.save()
          return id
        }
        try worker.performAndWait { context in
          try context.existingObject(City.self, with: id).population = 1
          try context.save()
        }
        let stepper = Stepper(schema: coordinator.schema)
        let actors = [
          stepper.actor("worker", stops: [.turnEnded, .turnEnded]) {
            for _ in 0..<3 {
              try worker.performAndWait { context in
                try context.existingObject(City.self, with: id).population += 1
                try context.save()
              }
            }
            return []
          },
          stepper.actor("root", stops: [.tagged, .published]) {
            for _ in 0..<2 { try root.save() }
            return []
          },
        ]
        for part in order { try actors[part].step() }
        stepper.end()
        try root.save()
        let stored = try ManagedObjectContext(parent: coordinator)
          .existingObject(City.self, with: id).population
        #expect(stored == 4, "\(order)")
      }
    }
  }

  @Suite struct `A push to an object that is being saved` {
    /// The root has edited on top of its save, so it lays the pushes over that once more; the
    /// second one equals the saved state.
    @Test func `still comes after the push before it`() async throws {
      let container = try geography()
      let (root, worker) = (container.root, container.newBackgroundContext())
      let (x, y) = try root.performAndWait { context in
        let (x, y) = (context.city("x"), context.city("y"))
        try context.save()
        x.population = 1
        return (x.objectID, y.objectID)
      }
      let (isTagged, mayCommit) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let schema = container.coordinator.schema
      PausePoint.observe(schema) { point in
        guard point == .tagged else { return }
        isTagged.signal()
        mayCommit.wait()
      }
      let save = Task { try await root.save() }
      try await onOwnThread { isTagged.wait() }
      PausePoint.observe(schema, nil)
      try root.performAndWait { context in
        try context.existingObject(City.self, with: y).population = 1
        let hasPushed = DispatchSemaphore(value: 0)
        Thread {
          for population in [2, 1] {
            try? worker.performAndWait { context in
              try context.existingObject(City.self, with: x).population = population
              try context.save()
            }
          }
          hasPushed.signal()
        }.start()
        hasPushed.wait()
        mayCommit.signal()
        try context.save()
      }
      try await save.value
      try root.performAndWait { try $0.save() }
      let stored = ManagedObjectContext(parent: container.coordinator)
      let populations = try [x, y].map {
        try stored.existingObject(City.self, with: $0).population
      }
      #expect(populations == [1, 1])
    }
  }

  @Suite struct `A child that reads while its parent and a cousin push` {
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
#endif
