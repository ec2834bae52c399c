// SPDX-License-Identifier: Apache-2.0
import Strata
import Synchronization

// Objects that note their life cycle events, for the tests of these.

/// The events that objects have noted, in order, and their actions for each.
final class Diary: Sendable {
  private struct State {
    var entries: [String] = []
    var actions: [String: @Sendable (Note) -> Void] = [:]
  }

  private let state = Mutex(State())

  /// The diary of the test that runs: life cycle methods have no way to a test's own variables.
  @TaskLocal static var current: Diary?

  func note(_ event: String, _ note: Note) {
    let action = state.withLock { state in
      state.entries.append("\(event) \(note.text)")
      return state.actions[event]
    }
    action?(note)
  }

  /// The events noted since the last time.
  func take() -> [String] {
    state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
  }

  /// Has `action` done whenever `event` happens to a note; nil for nothing.
  func on(_ event: String, _ action: (@Sendable (Note) -> Void)?) {
    state.withLock { $0.actions[event] = action }
  }
}

/// An entity with all life cycle methods.
@Entity final class Note: ManagedObject {
  @Attribute(.indexed) var text: String
  var revision: Int = 0
  @Attribute(.transient) var summary: String?
  var folder: Folder?

  override func awakeFromInsert() {
    super.awakeFromInsert()
    Diary.current?.note("awakeFromInsert", self)
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    Diary.current?.note("awakeFromFetch", self)
  }

  override func awakeFromSnapshotEvents(_ events: SnapshotEvents) {
    super.awakeFromSnapshotEvents(events)
    Diary.current?.note("awakeFromSnapshotEvents(\(events.rawValue))", self)
  }

  override func willSave() {
    super.willSave()
    Diary.current?.note(isDeleted ? "willSave of deleted" : "willSave", self)
  }

  override func didSave() {
    super.didSave()
    Diary.current?.note(isDeleted ? "didSave of deleted" : "didSave", self)
  }

  override func prepareForDeletion() {
    super.prepareForDeletion()
    Diary.current?.note("prepareForDeletion", self)
  }

  override func willTurnIntoFault() {
    super.willTurnIntoFault()
    Diary.current?.note("willTurnIntoFault", self)
  }

  override func didTurnIntoFault() {
    super.didTurnIntoFault()
    // Reading a property would bring the values back.
    Diary.current?.noteFault()
  }
}

extension Diary {
  /// Notes that a note has become a fault, whose text is no longer known.
  func noteFault() { state.withLock { $0.entries.append("didTurnIntoFault") } }
}

/// An entity without life cycle methods, which counts its instances.
@Entity final class Folder: ManagedObject {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Note.folder) var notes: ToMany<Note>

  @TaskLocal static var instanceCount: InstanceCount?

  required init(_ initializer: _ObjectInitializer) {
    Self.instanceCount?.increment()
    super.init(initializer)
  }
}

/// Counts, for tests.
final class InstanceCount: Sendable {
  private let storage = Atomic(0)

  var value: Int { storage.load(ordering: .relaxed) }

  func increment() { storage.add(1, ordering: .relaxed) }
}

/// Runs a test of life cycles: a container, and the diary that its notes write.
func withDiary(
  _ body: (Diary, PersistentContainer) async throws -> Void
) async throws {
  let diary = Diary()
  let container = try republic()
  try await Diary.$current.withValue(diary) { try await body(diary, container) }
}

extension ManagedObjectContext {
  /// Inserts a note for a test.
  @discardableResult
  func note(_ text: String, in folder: Folder? = nil) -> Note {
    let note = Note(context: self)
    note.text = text
    note.folder = folder
    return note
  }
}
