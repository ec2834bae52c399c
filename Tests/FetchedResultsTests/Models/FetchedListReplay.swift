// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel

/// A list that is kept by the callbacks of its controller alone, as a list view does it; and a log
/// of the callbacks.
final class FetchedListReplay: FetchedResultsControllerDelegate {
  struct Section: Equatable {
    var name: String?
    var ids: [ObjectID]
  }

  private(set) var sections: [Section]
  /// The reports, one line each.
  private(set) var log: [String] = []
  /// The objects of which it was told that they changed, or came.
  var touched: Set<ObjectID> = []
  /// The mistakes: a callback out of turn, a place that does not exist.
  private(set) var complaint: String?
  private(set) var failures: [any Error] = []
  /// Done within a callback.
  var whileTold: (() -> Void)?

  private var isTelling = false
  private var deletedSections: [(index: Int, name: String?)] = []
  private var insertedSections: [(index: Int, name: String?)] = []
  private var leaving: [(id: ObjectID, path: FetchedIndexPath)] = []
  private var coming: [(id: ObjectID, path: FetchedIndexPath)] = []
  private var steps: [(id: ObjectID, from: FetchedIndexPath, to: FetchedIndexPath)] = []

  init(_ controller: FetchedResultsController<Plant>) {
    sections = Self.sections(of: controller)
    controller.delegate = self
  }

  static func sections(of controller: FetchedResultsController<Plant>) -> [Section] {
    controller.sections.map { Section(name: $0.name, ids: $0.objects.objectIDs) }
  }

  /// Begins again with the controller's list.
  func reload(_ controller: FetchedResultsController<Plant>) {
    sections = Self.sections(of: controller)
    log = []
  }

  func takeLog() -> [String] {
    defer { log = [] }
    return log
  }

  // MARK: - Callbacks

  func controllerWillChangeContent(_ controller: FetchedResultsController<Plant>) {
    if isTelling { complaint = "a change within a change" }
    isTelling = true
    log.append("will")
    (deletedSections, insertedSections) = ([], [])
    (leaving, coming, steps) = ([], [], [])
  }

  func controller(
    _ controller: FetchedResultsController<Plant>, didChangeSection name: String?,
    atIndex index: Int, for type: FetchedResultsChangeType
  ) {
    if !leaving.isEmpty || !coming.isEmpty || !steps.isEmpty {
      complaint = "a section after an object"
    }
    log.append("section \(type) \(name ?? "nil") \(index)")
    if type == .delete {
      deletedSections.append((index, name))
    } else {
      insertedSections.append((index, name))
    }
  }

  func controller(
    _ controller: FetchedResultsController<Plant>, didChangeObject id: ObjectID,
    at indexPath: FetchedIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: FetchedIndexPath?
  ) {
    if !isTelling { complaint = "an object outside of a change" }
    let places = [indexPath, newIndexPath].compactMap { $0.map { "\($0)" } }
    log.append("\(type) \(places.joined(separator: " "))")
    switch (type, indexPath, newIndexPath) {
    case (.delete, let from?, nil): leaving.append((id, from))
    case (.insert, nil, let to?):
      coming.append((id, to))
      touched.insert(id)
    case (.move, let from?, let to?):
      leaving.append((id, from))
      coming.append((id, to))
      touched.insert(id)
    case (.update, let from?, let to?):
      steps.append((id, from, to))
      touched.insert(id)
    default: complaint = "\(type) with the wrong places"
    }
    whileTold?()
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Plant>) {
    log.append("did")
    apply()
    isTelling = false
  }

  func controller(
    _ controller: FetchedResultsController<Plant>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    guard complaint == nil else { return }
    let told = snapshot.sections.map { Section(name: $0.name, ids: $0.objectIDs) }
    if told != sections { complaint = "the callbacks give \(sections), the snapshot is \(told)" }
  }

  func controller(_ controller: FetchedResultsController<Plant>, didFailWith error: any Error) {
    failures.append(error)
  }

  // MARK: - Applying

  private func apply() {
    for (id, from, _) in steps where self.id(at: from) != id {
      complaint = "an update of what is not at \(from)"
    }
    for (id, path) in leaving.sorted(by: { $0.path > $1.path }) {
      guard self.id(at: path) == id else {
        complaint = "nothing to remove at \(path)"
        return
      }
      sections[path.section].ids.remove(at: path.item)
    }
    for (index, name) in deletedSections.sorted(by: { $0.index > $1.index }) {
      guard sections.indices.contains(index), sections[index].ids.isEmpty,
        sections[index].name == name
      else {
        complaint = "section \(index) cannot go"
        return
      }
      sections.remove(at: index)
    }
    for (index, name) in insertedSections.sorted(by: { $0.index < $1.index }) {
      guard index <= sections.count else {
        complaint = "section \(index) cannot come"
        return
      }
      sections.insert(Section(name: name, ids: []), at: index)
    }
    for (id, path) in coming.sorted(by: { $0.path < $1.path }) {
      guard sections.indices.contains(path.section), path.item <= sections[path.section].ids.count
      else {
        complaint = "nowhere to insert at \(path)"
        return
      }
      sections[path.section].ids.insert(id, at: path.item)
    }
    for (id, _, to) in steps where self.id(at: to) != id {
      complaint = "an update of what is not at \(to) now"
    }
  }

  private func id(at path: FetchedIndexPath) -> ObjectID? {
    guard sections.indices.contains(path.section),
      sections[path.section].ids.indices.contains(path.item)
    else { return nil }
    return sections[path.section].ids[path.item]
  }
}
