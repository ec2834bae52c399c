// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Dispatch
  import Strata
  import StrataChanges
  import StrataTestSupport
  import Synchronization

  /// Contexts and an oracle, side by side: the same operations are done to both, and what contexts show
  /// is compared with what the oracle says.
  ///
  /// ```
  ///   4                 Two roots; four contexts are nested in one of them.
  ///   │
  ///   3                 After each operation the context that it was done in is compared, now and then another,
  ///   │                 all of them at the end and where a save under way has landed.
  ///   1    2
  ///    ╲  ╱
  ///     0    5
  /// ```
  ///
  /// An operation is a function of `ContextModelWorld+Operations` with a line in `operations`.
  struct ContextModelWorld {
    static let parents: [Int?] = [nil, 0, 0, 1, 3, nil]

    let container: PersistentContainer
    let contexts: [ContextQueue]
    let parents = Self.parents
    var oracle = ContextOracle(parents: Self.parents)
    var random: SeededGenerator
    /// By number; the oracle knows numbers alone.
    var ids: [ObjectID] = []
    var numbers: [ObjectID: Int] = [:]
    var log: [String] = []
    /// A save of the root that the writer holds back, while the others go on.
    var flight: (save: Task<Bool, any Error>, gate: Gate)?
    private let fault: PlantedFault?

    /// - Parameter fault: a mistake to plant in all that happens here.
    init(seed: UInt64, fault: PlantedFault?) throws {
      random = SeededGenerator(seed: seed)
      self.fault = fault
      container = try geography()
      let root = container.root
      let child = ContextQueue(parent: root)
      let grandchild = ContextQueue(parent: child)
      contexts = [
        root, child, ContextQueue(parent: root), grandchild, ContextQueue(parent: grandchild),
        ContextQueue(parent: container.coordinator),
      ]
      // Half of the contexts keep what they have read, and must notice what changes.
      for context in contexts.indices.filter({ !$0.isMultiple(of: 2) }).map({ contexts[$0] }) {
        try context.performAndWait { $0.cacheByteBudget = 0 }
      }
      // The first insert of all waits for the writer, for a block of serials; no later one does.
      try root.performAndWait { context in
        _ = City(in: context)
        context.rollback()
      }
    }

    /// What the code did and the oracle did not expect.
    struct Surprise: Error, CustomStringConvertible { let description: String }

    /// - Returns: what differs and how it came about; nil if nothing does.
    mutating func run(operationCount: Int) async throws -> String? {
      let schema = container.coordinator.schema
      if let fault { PlantedFault.plant(fault, in: schema) }
      defer {
        if fault != nil { PlantedFault.plant(nil, in: schema) }
        // A writer held back for ever would keep the store from closing.
        PausePoint.observe(schema, nil)
        flight?.gate.opening.signal()
      }
      do {
        for _ in 0..<operationCount {
          // Other tests want a thread, too.
          await Task.yield()
          let wasFlying = flight != nil
          let touched = try await step()
          let hasLanded = wasFlying && flight == nil
          let other =
            Int.random(in: 0..<3, using: &random) == 0
            ? contexts.indices.randomElement(using: &random) : nil
          let compared =
            hasLanded ? Array(contexts.indices) : [touched] + [other].compactMap(\.self)
          if let difference = try difference(in: compared) { return difference }
        }
        try await land()
        return try difference(in: Array(contexts.indices))
      } catch {
        return (log + ["\(error)"]).joined(separator: "\n")
      }
    }

    /// - Returns: the context that was touched.
    private mutating func step() async throws -> Int {
      let context = Int.random(in: contexts.indices, using: &random)
      if flight != nil, Int.random(in: 0..<6, using: &random) == 0 {
        try await land()
        return 0
      }
      var draw = Int.random(in: 0..<Self.operations.reduce(0) { $0 + $1.weight }, using: &random)
      for operation in Self.operations {
        draw -= operation.weight
        guard draw < 0 else { continue }
        try await operation.perform(&self, context)
        break
      }
      return context
    }

    // MARK: - A save under way

    final class Gate: Sendable {
      let isReached = Atomic<Bool>(false)
      let opening = DispatchSemaphore(value: 0)
    }

    /// Begins a save of the root and holds the writer back before its commit.
    mutating func takeOff() async throws {
      guard flight == nil else { return }
      let gate = Gate()
      let schema = container.coordinator.schema
      PausePoint.observe(schema) { point in
        guard point == .tagged else { return }
        gate.isReached.store(true, ordering: .sequentiallyConsistent)
        gate.opening.wait()
      }
      let root = container.root
      let save = Task {
        defer { gate.isReached.store(true, ordering: .sequentiallyConsistent) }
        do { try await root.save() } catch {
          return try Self.isTaken { throw error }
        }
        return true
      }
      while !gate.isReached.load(ordering: .sequentiallyConsistent) { await Task.yield() }
      oracle.beginSave(0)
      flight = (save, gate)
      log.append("0: save takes off")
    }

    mutating func land() async throws {
      guard let (save, gate) = flight else { return }
      flight = nil
      PausePoint.observe(container.coordinator.schema, nil)
      gate.opening.signal()
      let isTaken = try await save.value
      let isExpected = oracle.finishSave(0)
      log.append("0: save lands, taken: \(isTaken), expected: \(isExpected)")
      guard isTaken == isExpected else { throw Surprise(description: "a save of 0") }
    }

    /// Whether the operation would wait for the save under way.
    func waitsForFlight(_ context: Int) -> Bool { flight != nil && parents[context] == nil }
  }
#endif
