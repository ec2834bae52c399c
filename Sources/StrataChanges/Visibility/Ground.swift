// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

/// The state beneath the receiver of a push: of the objects for which the sender's knowledge may be
/// outdated, and of the pushed links of which the receiver has an unsaved state. Pushed changes of
/// objects are laid over it if the receiver has not changed the object. Links that equal it are
/// unchanged.
///
/// It is read before the composition, which itself reads nothing and cannot fail.
package struct Ground: Sendable {
  /// The state of one object beneath the receiver.
  enum State: Sendable {
    /// The base of a change of the object if it were made now.
    case there(Base)
    /// An ancestor is about to delete it.
    case deleted
    /// Neither an ancestor nor the store has it.
    case absent
  }

  private(set) var states: [ObjectKey: State] = [:]
  /// The state of links beneath the receiver's unsaved changes, with those that a save under way
  /// carries.
  private(set) var links = LinkChanges()

  /// Whether the receiver keeps an update of an object that the store has lost, so that its save is
  /// a conflict. A context that merges automatically drops it, as it drops its own at a merge.
  package var keepsLost = true

  /// A ground without any object in doubt.
  package init() {}

  /// Whether no object is in doubt.
  package var isEmpty: Bool { states.isEmpty }

  /// The objects that were looked up and do not exist.
  package var absentKeys: [ObjectKey] {
    states.compactMap { key, state in if case .absent = state { key } else { nil } }
  }

  /// Looks up the objects in doubt that `pushed` changes or links to, and the links that `receiver`
  /// has changed too.
  ///
  /// - Parameters:
  ///   - sent: the results of the sender, if it has looked the objects up already.
  ///   - receiver: the receiver's own changes: their objects are not looked up.
  ///   - view: shows the state beneath the receiver.
  /// - Throws: the errors of reading.
  package init(
    of pushed: Segment, onto receiver: Overlay, doubting doubt: Doubt, sent: Ground? = nil,
    in view: () throws -> ReadView
  ) throws {
    var taken: ReadView?
    if !pushed.links.isEmpty { try lookUpLinks(of: pushed, changedIn: receiver, &taken, view) }
    if doubt.isEmpty { return }
    func look(_ key: ObjectKey) throws {
      if states[key] != nil { return }
      // An object that the receiver inserted and deleted may still exist beneath it.
      if let own = receiver.change(for: key), own.kind != .delete || own.base != nil { return }
      let view = try taken ?? view()
      taken = view
      states[key] = try Self.state(of: key, in: view)
    }
    for (place, key) in pushed.changes.keys.enumerated() {
      let change = pushed.changes.values[place]
      // A new object has nothing beneath it, unless undo has brought it back and events have named
      // it.
      let isNamedByEvents = sent.map { $0.states[key] != nil } ?? doubt.contains(key)
      if change.kind == .insert ? isNamedByEvents : doubt.contains(key) { try look(key) }
      guard let record = change.record, let entity = pushed.schema.entity(key.entity) else {
        continue
      }
      for slot in change.slots.intersection(entity.ends.targetSlots) {
        guard let target = record.toOne(at: slot, layout: entity.layout),
          doubt.contains(target), pushed.changes.index(of: target) == nil
        else { continue }
        try look(target)
      }
    }
    for (place, links) in pushed.links.byPlace {
      for end in [place.owner] + links.keys
      where doubt.contains(end) && pushed.changes.index(of: end) == nil {
        try look(end)
      }
    }
  }

  /// O(pushed places × receiver's segments), and a look-up for each link that both have.
  private mutating func lookUpLinks(
    of pushed: Segment, changedIn receiver: Overlay, _ taken: inout ReadView?,
    _ view: () throws -> ReadView
  ) throws {
    let own = receiver.unfrozen
    guard own.segments.contains(where: { !$0.links.isEmpty }) else { return }
    var beneath: ReadView?
    for (place, pushed) in pushed.links.byPlace {
      for target in own.links(at: place).keys where pushed[target] != nil {
        let read = try taken ?? view()
        let saving = beneath ?? read.over(receiver.frozen)
        (taken, beneath) = (read, saving)
        links.set(try saving.link(at: place, to: target), at: place, to: target)
      }
    }
  }

  private static func state(of key: ObjectKey, in view: ReadView) throws -> State {
    if let change = view.change(for: key) {
      // An object that was inserted and deleted again never existed.
      if change.kind == .delete, change.base == nil { return .absent }
      return change.read.map(State.there) ?? .deleted
    }
    return try view.snapshot.record(for: key).map { .there(Base($0)) } ?? .absent
  }
}
