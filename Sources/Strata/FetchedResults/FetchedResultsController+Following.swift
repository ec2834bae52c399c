// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord

// Fetching the list, and bringing it up to date.

extension FetchedResultsController {
  /// Fetches the list, and follows the context from then on. Core Data: `performFetch()`.
  ///
  /// A further call fetches again, with the present `fetchRequest`. It does not notify the
  /// delegate, but `updates()` contain it.
  ///
  /// - Throws: as `ManagedObjectContext.fetch(_:)`; `ContextError.unsortedSections` if the request
  ///   does not sort first by the property that makes the sections; `.interleavedSections` if the
  ///   objects of a section that `sectionName` names are not contiguous; `.contextGone`. The list
  ///   is then unchanged.
  public func performFetch() throws {
    guard let context = managedObjectContext else { throw ContextError.contextGone }
    let entity = try context.fetcher.schema(of: Object.self)
    context.fetcher.beginFetching()
    let placement = try ResultPlacement(
      fetchRequest, rule, entity: entity, schema: context.schema)
    let changes = try changesByFetching(placement, context.fetcher)
    let difference = try state.apply(changes)
    self.placement = placement
    // A reset that waits while a delegate is being notified would empty the new list.
    resetCountAtFetch = context.reporter.liveResults.resetCount
    error = nil
    context.reporter.liveResults.add(self)
    if !context.work.savepoints.isEmpty {
      context.reporter.liveResults.isFetchedInSavepoint = true
    }
    if !difference.isEmpty { send(difference) }
  }

  /// Fetches the whole list.
  ///
  /// - Returns: the difference to the former list.
  private func changesByFetching(
    _ placement: ResultPlacement<Object>, _ fetcher: ObjectFetcher
  ) throws -> [ResultChange] {
    let view = try fetcher.shownView()
    let reader = RowReader(view: view)
    var changes: [ResultChange] = []
    var former = state.entries
    for row in try placement.plan.fetch(in: view) {
      guard let record = row.record?.record,
        let entry = try placement.entry(
          of: row.key, record, isFetched: true, reader, fetcher.loader, &state)
      else { continue }
      let old = former.removeValue(forKey: row.key)
      if old?.isPlaced(as: entry) == true { continue }
      changes.append(ResultChange(key: row.key, old: old, new: entry))
    }
    changes += former.map { ResultChange(key: $0, old: $1, new: nil) }
    return changes
  }

  // MARK: - Telling

  private func send(_ difference: FetchedResultsDifference) {
    updateCount += 1
    if streams.isEmpty { return }
    streams.send(
      FetchedResultsUpdate(number: updateCount, difference: difference, snapshot: snapshot))
  }

  private func tell(_ difference: FetchedResultsDifference) {
    if difference.isEmpty { return }
    send(difference)
    delegate?.tell(difference, snapshot, of: self)
  }
}

// MARK: - Following

extension FetchedResultsController: LiveResults {
  func contextDidChange(_ changes: LiveChanges) {
    pending.append(changes)
    // Changes and saves that a delegate makes while it is being notified are reported afterwards.
    if isFollowing { return }
    isFollowing = true
    defer { isFollowing = false }
    while !pending.isEmpty {
      let changes = pending
      pending = LiveChanges()
      follow(changes)
    }
  }

  private func follow(_ changes: LiveChanges) {
    guard let context = managedObjectContext, let placement else { return }
    do {
      let isReset = changes.reset.map { $0 > resetCountAtFetch } ?? false
      tell(try isReset ? empty() : bringUpToDate(changes, placement, context.fetcher))
      error = nil
    } catch {
      self.error = error
      delegate?.controller(self, didFailWith: error)
    }
  }

  /// After a reset there is no list until it is fetched again.
  private func empty() throws -> FetchedResultsDifference {
    placement = nil
    let changes = state.entries.map { ResultChange(key: $0, old: $1, new: nil) }
    return try state.apply(changes)
  }

  private func bringUpToDate(
    _ changes: LiveChanges, _ placement: ResultPlacement<Object>, _ fetcher: ObjectFetcher
  ) throws -> FetchedResultsDifference {
    // Objects that may have changed unseen count as changed, so that a list view shows them again.
    let isUnknown = changes.isUnknown || error != nil
    let changed = isUnknown ? [] : try changedObjects(changes, fetcher)
    let touched = isUnknown ? Array(state.entries.keys) : Array(changed)
    if isUnknown || needsFetch(changed, placement) {
      return try state.apply(changesByFetching(placement, fetcher), touched: touched)
    }
    let view = try fetcher.shownView()
    let candidates = try candidates(changed, changes.slots, placement, in: view)
    let reader = RowReader(view: view)
    var moved: [ResultChange] = []
    for key in candidates {
      let old = state.entries[key]
      var new: ResultEntry?
      if let stored = try view.record(of: key) {
        new = try placement.entry(
          of: key, stored.record, isFetched: false, reader, fetcher.loader, &state)
      }
      if old == nil, new == nil { continue }
      if let new, old?.isPlaced(as: new) == true { continue }
      moved.append(ResultChange(key: key, old: old, new: new))
    }
    return try state.apply(moved, touched: touched)
  }

  /// Whether the changes cannot be followed object by object.
  private func needsFetch(
    _ changed: Set<ObjectKey>, _ placement: ResultPlacement<Object>
  ) -> Bool {
    let log = placement.log
    if log.isOpaque { return true }
    guard placement.isWindow || log.hasCollections else { return false }
    let others = log.entities
    let family = placement.plan.family
    return changed.contains { key in
      others.contains(key.entity) || placement.isWindow && family.contains(key.entity)
    }
  }

  // MARK: - Objects to examine

  /// The objects that may read otherwise than before. An object whose link is lost because its
  /// target was deleted is among them: no report names it.
  private func changedObjects(
    _ changes: LiveChanges, _ fetcher: ObjectFetcher
  ) throws -> Set<ObjectKey> {
    let reported = changes.keys.union(changes.suspects)
    let view = try fetcher.reader.currentViewIncludingEdits()
    guard reported.contains(where: { view.change(for: $0)?.kind == .delete }) else {
      return reported
    }
    return try reported.union(fetcher.work.lostLinks.owners(in: view))
  }

  /// The objects that changed and those that lead to a changed one, as far as they may be in the
  /// list.
  ///
  /// - Parameter slots: of some of `changed`, the only slots that may differ.
  private func candidates(
    _ changed: Set<ObjectKey>, _ slots: [ObjectKey: SlotSet], _ placement: ResultPlacement<Object>,
    in view: ReadView
  ) throws -> Set<ObjectKey> {
    let family = placement.plan.family
    var candidates = changed.filter { family.contains($0.entity) }
    if PlantedFault.relatedForgotten.isPlanted(in: view.schema) { return candidates }
    for way in placement.log.ways {
      for (index, step) in way.steps.enumerated().dropFirst() {
        var reached = changed.filter { key in
          step.owner.family.contains(key.entity)
            && slots[key].map { $0.contains(step.slot) } ?? true
        }
        for former in way.steps[..<index].reversed() where !reached.isEmpty {
          guard let index = former.owner.index(at: former.slot) else { continue }
          reached = try Set(
            reached.flatMap {
              try view.referrers(to: $0, index: index.number, slot: former.slot)
            })
        }
        candidates.formUnion(reached.filter { family.contains($0.entity) })
      }
    }
    return candidates
  }
}
