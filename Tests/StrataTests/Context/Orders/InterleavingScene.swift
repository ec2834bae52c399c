// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
#if DEBUG
  import Foundation
  import Strata
  import StrataChanges
  import StrataRecord
  import StrataTestSupport
  import Synchronization

  /// The layers of a scene.
  ///
  /// ```
  ///   grandchild     reads only
  ///       │
  ///     worker   sibling
  ///         ╲     ╱
  ///          root     other     both save to the store
  /// ```
  enum InterleavingPlace: String, Hashable, Sendable, CaseIterable {
    case grandchild, worker, sibling, root, other
  }

  /// A store for scenes: one after the other, each with contexts and objects of its own.
  struct InterleavingStage: Sendable {
    let coordinator: PersistentStoreCoordinator
    private let directory: TemporaryDirectory?
    /// Nil for a stage in memory.
    let disk: FullDisk?

    /// - Parameter isOnDisk: whether there is a file that can be made unwritable.
    init(isOnDisk: Bool = false) throws {
      guard isOnDisk else {
        (coordinator, directory, disk) = (try geography().coordinator, nil, nil)
        return
      }
      let directory = try TemporaryDirectory()
      coordinator = try geography(in: directory).coordinator
      disk = FullDisk(file: directory.file("geography.strata").path)
      self.directory = directory
    }

    var schema: Schema { coordinator.schema }
  }

  /// Two cities, whose populations are 0 in the store, and contexts in which they have been set to
  /// something else.
  ///
  /// The root is confined, so that a push is integrated in it when a step says so and not when a
  /// thread of the pool gets to it.
  struct InterleavingScene: Sendable {
    // Safety: one actor runs at a time, and handing on is a semaphore's business.
    nonisolated(unsafe) let root: ManagedObjectContext
    let coordinator: PersistentStoreCoordinator
    let other: ContextQueue
    let worker: ContextQueue
    let sibling: ContextQueue
    let grandchild: ContextQueue
    // Safety: as `root`.
    nonisolated(unsafe) private let reader: ManagedObjectContext
    private let cities: [ObjectID]

    /// - Parameters:
    ///   - pending: the unsaved values of each context: the two populations, nil for an unchanged
    ///     one.
    ///   - readerPlace: the parent of the reader.
    init(
      on stage: InterleavingStage, pending: [InterleavingPlace: [Int?]], policy: MergePolicy,
      readerAbove readerPlace: InterleavingPlace
    ) throws {
      coordinator = stage.coordinator
      let cities = try ContextQueue(parent: coordinator).performAndWait { context in
        let cities = [context.city("x").objectID, context.city("y").objectID]
        try context.save()
        return cities
      }
      self.cities = cities
      let root = ManagedObjectContext.withExplicitTurns(below: coordinator)
      root.mergePolicy = policy
      if let values = pending[.root] { try Self.set(cities, to: values, in: root) }
      root.processPendingChanges()
      other = ContextQueue(parent: coordinator)
      worker = ContextQueue(parent: root.layer)
      sibling = ContextQueue(parent: root.layer)
      grandchild = ContextQueue(parent: worker)
      self.root = root
      let layers =
        [
          .root: root.layer, .other: other.layer, .worker: worker.layer, .sibling: sibling.layer,
          .grandchild: grandchild.layer,
        ] as [InterleavingPlace: ContextLayer]
      reader = ManagedObjectContext.withExplicitTurns(below: layers[readerPlace] ?? root.layer)
      for (place, queue) in [(.worker, worker), (.sibling, sibling), (.other, other)]
        as [(InterleavingPlace, ContextQueue)]
      {
        guard let values = pending[place] else { continue }
        try queue.performAndWait { context in
          context.mergePolicy = policy
          try Self.set(cities, to: values, in: context)
        }
      }
    }

    /// A turn of the root: sets the values that are not nil and publishes them.
    func turnOfRoot(setting values: [Int?]) throws {
      try Self.set(cities, to: values, in: root)
      root.processPendingChanges()
    }

    private static func set(
      _ cities: [ObjectID], to values: [Int?], in context: ManagedObjectContext
    ) throws {
      for case (let city, let value?) in zip(cities, values) {
        try context.existingObject(City.self, with: city).population = value
      }
    }

    func layer(_ place: InterleavingPlace) -> ContextLayer {
      switch place {
      case .root: root.layer
      case .other: other.layer
      case .worker: worker.layer
      case .sibling: sibling.layer
      case .grandchild: grandchild.layer
      }
    }

    /// The values that the reader reads, all in one view. It is the same context each time, so from
    /// the second time on it has a copy of the layers.
    func readAgain() throws -> [Int] {
      defer { reader.processPendingChanges() }
      return try read(reader)
    }

    /// The values that a new child of `place` reads, all in one view.
    func read(above place: InterleavingPlace) throws -> [Int] {
      try read(ManagedObjectContext.withExplicitTurns(below: layer(place)))
    }

    /// The stored values.
    func readStore() throws -> [Int] {
      try read(ManagedObjectContext.withExplicitTurns(below: coordinator))
    }

    private func read(_ context: ManagedObjectContext) throws -> [Int] {
      try cities.map { try context.existingObject(City.self, with: $0).population }
    }
  }

  /// Makes writes to one file fail for want of room, in this process, and takes that back: the
  /// descriptors of the file are pointed at the device that is always full.
  final class FullDisk: Sendable {
    private let file: String
    private let replaced = Mutex<[(descriptor: Int32, original: Int32)]>([])

    init(file: String) { self.file = file }

    func fill() {
      var wanted = stat()
      guard stat(file, &wanted) == 0 else { return }
      let full = open("/dev/full", O_RDWR)
      defer { close(full) }
      // Of any number: another test may have opened thousands of files.
      let all = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
      let descriptors = all.compactMap { Int32($0) }.filter { descriptor in
        var found = stat()
        return fstat(descriptor, &found) == 0 && found.st_dev == wanted.st_dev
          && found.st_ino == wanted.st_ino
      }
      for descriptor in descriptors {
        let original = dup(descriptor)
        replaced.withLock { $0.append((descriptor, original)) }
        dup2(full, descriptor)
      }
    }

    func free() {
      let replaced = replaced.withLock { replaced in
        defer { replaced = [] }
        return replaced
      }
      for (descriptor, original) in replaced {
        dup2(original, descriptor)
        close(original)
      }
    }
  }
#endif
