// SPDX-License-Identifier: Apache-2.0

/// What a tree of contexts should show, by copying everything: the table of compositions in its
/// plainest form. Objects are numbers in the order in which they were made.
struct ContextOracle {
  enum Kind: Hashable, CaseIterable { case city, country, language, government, ferry }
  enum Property: Hashable, CaseIterable { case name, population, iso, country, partner, port }
  enum Tie: Hashable {
    /// A country and a language.
    case spoken(Int, Int)
    /// Two countries, the smaller number first.
    case neighbours(Int, Int)

    static func between(_ a: Int, _ b: Int) -> Tie { .neighbours(min(a, b), max(a, b)) }

    var ends: [Int] {
      switch self {
      case .spoken(let a, let b), .neighbours(let a, let b): [a, b]
      }
    }
  }

  struct Row: Equatable {
    var kind: Kind
    var name = ""
    var population = 0
    /// Of a country. No two have the same in the store.
    var iso = ""
    var country: Int?
    /// Of a country its government, of a government its country: each end has it.
    var partner: Int?
    /// Of a ferry: a city, whose loss it survives, and which forbids its deletion.
    var port: Int?

    /// A government's form, which is its name here, has a length in the model.
    var isValid: Bool { kind != .government || name.count <= 20 }

    func hasSame(_ property: Property, as other: Row) -> Bool {
      var changed = self
      changed.take([property], from: other)
      return changed == self
    }

    mutating func take(_ properties: Set<Property>, from other: Row) {
      for property in properties {
        switch property {
        case .name: name = other.name
        case .population: population = other.population
        case .country: country = other.country
        case .partner: partner = other.partner
        case .port: port = other.port
        case .iso: iso = other.iso
        }
      }
    }
  }

  struct Version: Equatable {
    var row: Row
    var number: Int
  }

  enum Change {
    case insert(Row)
    case update(Row, base: Version, Set<Property>)
    /// Without a base: of an object that the parent never had.
    case delete(base: Version?)

    var row: Row? {
      switch self {
      case .insert(let row), .update(let row, _, _): row
      case .delete: nil
      }
    }
    var base: Version? {
      switch self {
      case .insert: nil
      case .update(_, let base, _): base
      case .delete(let base): base
      }
    }
    var isDelete: Bool { row == nil }

    var isAnything: Bool {
      switch self {
      case .insert: true
      case .update(_, _, let properties): !properties.isEmpty
      case .delete(let base): base != nil
      }
    }

    /// This change, and what leads to another object leads to none.
    func leadingNowhere(by property: Property) -> Change {
      guard var row else { return self }
      row.take([property], from: Row(kind: row.kind))
      if case .update(_, let base, let properties) = self {
        return .update(row, base: base, properties.union([property]))
      }
      return .insert(row)
    }

    func sets(_ property: Property) -> Bool {
      switch self {
      case .insert: true
      case .update(_, _, let properties): properties.contains(property)
      case .delete: false
      }
    }
  }

  struct Pending {
    var changes: [Int: Change] = [:]
    var ties: [Tie: Bool] = [:]

    var hasChanges: Bool { !ties.isEmpty || changes.values.contains(where: \.isAnything) }

    /// Whether the model's rules let a save pass on what is changed.
    var isValid: Bool { changes.values.allSatisfy { $0.row?.isValid ?? true } }

    /// Whether a save has anything to do.
    var isSaved: Bool { hasChanges || isToBeChecked }

    /// Whether a save looks at objects that are as they were when it was begun: set to something else
    /// and back while a save before it was under way.
    private var isToBeChecked: Bool {
      changes.values.contains { !$0.isDelete && !$0.isAnything }
    }
  }

  struct Context {
    var parent: Int?
    var pending = Pending()
    /// Where ferries led when they were deleted here.
    var denials: [Int: Int] = [:]
    /// What a save under way has taken, and what was spoken of since.
    var frozen: Pending?
    /// Whether the store has all of that already: then readers look at the store for it.
    var isFrozenVoid = false
    /// Whether the context did not let that pass.
    var isRefused = false
    var touchedObjects: Set<Int> = []
    var touchedTies: Set<Tie> = []
  }

  var contexts: [Context]
  var stored: [Int: Version] = [:]
  var storedTies: Set<Tie> = []
  private var saveCount = 0

  /// - Parameter parents: each context's parent; nil for one on the store.
  init(parents: [Int?]) { contexts = parents.map { Context(parent: $0) } }

  // MARK: - Reading

  private func chain(_ context: Int) -> [Pending] {
    let this = contexts[context]
    var pending = this.pending
    if this.isFrozenVoid {
      pending.changes = pending.changes.filter { this.touchedObjects.contains($0.key) }
    }
    return [pending] + (this.parent.map(chain) ?? [])
  }

  private func change(of object: Int, in context: Int) -> Change? {
    for pending in chain(context) {
      if let change = pending.changes[object] { return change }
    }
    return nil
  }

  /// The object as the context sees it, with the number of the store's version it goes back to.
  func visible(_ object: Int, in context: Int) -> Version? {
    guard let change = change(of: object, in: context) else { return stored[object] }
    return change.row.map { Version(row: $0, number: change.base?.number ?? 0) }
  }

  func rows(in context: Int) -> [Int: Row] {
    let known = Set(stored.keys).union(chain(context).flatMap(\.changes.keys))
    return known.reduce(into: [:]) { rows, object in
      rows[object] = visible(object, in: context)?.row
    }
  }

  func ties(in context: Int) -> Set<Tie> {
    var ties = storedTies
    for pending in chain(context).reversed() {
      for (tie, isThere) in pending.ties {
        if isThere { ties.insert(tie) } else { ties.remove(tie) }
      }
    }
    return ties.filter { tie in
      !tie.ends.contains { change(of: $0, in: context)?.isDelete ?? false }
    }
  }

  func hasChanges(_ context: Int) -> Bool { contexts[context].pending.hasChanges }

  // MARK: - Editing

  mutating func insert(_ object: Int, _ row: Row, in context: Int) {
    apply(Pending(changes: [object: .insert(row)]), to: context)
  }

  mutating func set(_ property: Property, of object: Int, to row: Row, in context: Int) {
    guard let base = visible(object, in: context) else { return }
    var changed = base.row
    changed.take([property], from: row)
    guard changed != base.row else { return }
    apply(Pending(changes: [object: .update(changed, base: base, [property])]), to: context)
  }

  mutating func set(_ tie: Tie, _ isThere: Bool, in context: Int) {
    guard ties(in: context).contains(tie) != isThere else { return }
    apply(Pending(ties: [tie: isThere]), to: context)
  }

  /// Gives a country a government, or a government a country; or nobody to either.
  mutating func pair(_ object: Int, with partner: Int?, in context: Int) {
    guard let row = visible(object, in: context)?.row, row.partner != partner else { return }
    var edit = Pending()
    letGo(row.partner, of: object, in: context, by: &edit)
    if let partner, let row = visible(partner, in: context)?.row {
      letGo(row.partner, of: partner, in: context, by: &edit)
      setPartner(object, of: partner, in: context, by: &edit)
    }
    setPartner(partner, of: object, in: context, by: &edit)
    apply(edit, to: context)
  }

  private func setPartner(
    _ partner: Int?, of object: Int, in context: Int, by edit: inout Pending
  ) {
    guard let base = visible(object, in: context) else { return }
    var row = edit.changes[object]?.row ?? base.row
    guard row.partner != partner else { return }
    row.partner = partner
    edit.changes[object] = .update(row, base: base, [.partner])
  }

  private func letGo(_ partner: Int?, of object: Int, in context: Int, by edit: inout Pending) {
    guard let partner, visible(partner, in: context)?.row.partner == object else { return }
    setPartner(nil, of: partner, in: context, by: &edit)
  }

  mutating func delete(_ object: Int, in context: Int) {
    guard let version = visible(object, in: context) else { return }
    var edit = Pending(changes: [object: .delete(base: version)])
    letGo(version.row.partner, of: object, in: context, by: &edit)
    if version.row.kind == .country {
      for (city, row) in rows(in: context) where row.country == object {
        edit.changes[city] = .delete(base: visible(city, in: context))
      }
    }
    contexts[context].denials[object] = version.row.port
    for (ferry, row) in rows(in: context) {
      guard let port = row.port, edit.changes[port]?.isDelete ?? false, ferry != object,
        let base = visible(ferry, in: context)
      else { continue }
      edit.changes[ferry] = Change.update(row, base: base, []).leadingNowhere(by: .port)
    }
    for tie in ties(in: context) where tie.ends.contains(object) { edit.ties[tie] = false }
    apply(edit, to: context)
  }

  mutating func discard(_ context: Int) {
    contexts[context].pending = Pending()
    contexts[context].denials = [:]
  }

  // MARK: - Saving

  /// Whether the context itself lets a save pass: nothing breaks a rule, no rule denies a deletion.
  func isPassed(_ pending: Pending, by context: Int) -> Bool {
    pending.isValid
      && pending.changes.allSatisfy { object, change in
        guard case .delete(.some) = change, let port = contexts[context].denials[object] else {
          return true
        }
        return visible(port, in: context) == nil
      }
  }

  /// - Returns: whether the context lets the save pass.
  mutating func saveToParent(_ context: Int) -> Bool {
    let pending = contexts[context].pending
    guard let parent = contexts[context].parent, pending.isSaved else { return true }
    guard isPassed(pending, by: context) else { return false }
    contexts[context].pending = Pending()
    apply(pending, to: parent)
    return true
  }

  /// - Returns: whether the store takes the save.
  mutating func saveToStore(_ context: Int) -> Bool {
    beginSave(context)
    return finishSave(context)
  }

  mutating func beginSave(_ context: Int) {
    contexts[context].frozen = contexts[context].pending
    contexts[context].touchedObjects = []
    contexts[context].touchedTies = []
    let pending = contexts[context].pending
    contexts[context].isRefused = pending.isSaved && !isPassed(pending, by: context)
    var saved = self
    contexts[context].isFrozenVoid =
      pending.isSaved && pending.ties.isEmpty && saved.finishSave(context)
      && saved.stored == stored
  }

  mutating func finishSave(_ context: Int) -> Bool {
    guard let pending = contexts[context].frozen else { return true }
    contexts[context].frozen = nil
    contexts[context].isFrozenVoid = false
    guard pending.isSaved else { return true }
    if contexts[context].isRefused { return false }
    var rows = stored
    for (object, change) in pending.changes {
      let theirs = stored[object]
      switch change {
      case .insert(let row): rows[object] = Version(row: row, number: saveCount + 1)
      case .update(let row, let base, _):
        guard let theirs, theirs == base || theirs.row == base.row || theirs.number == base.number
        else { return false }
        if theirs.row != row { rows[object] = Version(row: row, number: saveCount + 1) }
      case .delete(nil): break
      case .delete(let base?):
        guard let theirs else { break }
        guard theirs.row == base.row || theirs.number == base.number else { return false }
        rows[object] = nil
      }
    }
    var ties = storedTies.filter { tie in tie.ends.allSatisfy { rows[$0] != nil } }
    for (tie, isThere) in pending.ties {
      if isThere {
        guard tie.ends.allSatisfy({ rows[$0] != nil }) else { return false }
        ties.insert(tie)
      } else {
        ties.remove(tie)
      }
    }
    for version in rows.values {
      for target in [version.row.country, version.row.partner, version.row.port].compactMap({ $0 })
      where rows[target] == nil {
        return false
      }
    }
    // Of partners who do not lead to each other, none leads anywhere.
    let paired = rows
    for (object, version) in paired {
      guard let partner = version.row.partner, paired[partner]?.row.partner != object else {
        continue
      }
      rows[object]?.row.partner = nil
      rows[object]?.number = saveCount + 1
      if let former = stored[object], former.row == rows[object]?.row { rows[object] = former }
    }
    let codes = rows.values.filter { $0.row.kind == .country }.map(\.row.iso)
    guard Set(codes).count == codes.count else { return false }
    // A port that the save did not know denies too.
    for (ferry, change) in pending.changes {
      guard case .delete(let base?) = change, let port = stored[ferry]?.row.port,
        port != base.row.port, rows[port] != nil
      else { continue }
      return false
    }
    stored = rows
    storedTies = ties
    saveCount += 1
    rebase(context, onto: pending)
    return true
  }

  /// What came on top of a save now rests on what it saved. The store gives no new number to what it
  /// has already.
  private mutating func rebase(_ context: Int, onto saved: Pending) {
    let now = contexts[context].pending
    var rest = Pending()
    for object in contexts[context].touchedObjects {
      guard let change = now.changes[object] else { continue }
      switch (saved.changes[object], change) {
      case (nil, _): rest.changes[object] = change
      case (let under?, .delete):
        rest.changes[object] = .delete(
          base: under.row.map { Version(row: $0, number: stored[object]?.number ?? 0) })
      case (let under?, .insert(let row)), (let under?, .update(let row, _, _)):
        guard let saved = under.row, let base = stored[object] else { continue }
        let properties = Set(Property.allCases.filter { !row.hasSame($0, as: saved) })
        var rebased = base.row
        rebased.take(properties, from: row)
        rest.changes[object] = .update(rebased, base: base, properties)
      }
    }
    for tie in contexts[context].touchedTies { rest.ties[tie] = now.ties[tie] }
    contexts[context].pending = rest
  }

  // MARK: - The table

  /// Lays `newer` over what is pending in a context.
  private mutating func apply(_ newer: Pending, to context: Int) {
    let older = contexts[context].pending
    var result = older
    var spokenOf: Set<Int> = []
    var deleted: [Int] = []
    for (object, change) in newer.changes {
      guard let composed = Self.compose(change, onto: older.changes[object]) else { continue }
      result.changes[object] = composed
      spokenOf.insert(object)
      if composed.isDelete { deleted.append(object) }
    }
    for (tie, isThere) in newer.ties { result.ties[tie] = isThere }
    // The delete rules, on what the receiver alone has.
    var gone = deleted
    while let object = gone.popLast() {
      for (city, change) in result.changes
      where older.changes[city] != nil && change.row?.country == object {
        result.changes[city] = .delete(base: change.base)
        contexts[context].touchedObjects.insert(city)
        gone.append(city)
      }
      for (member, change) in result.changes {
        guard let former = older.changes[member]?.row, let row = change.row else { continue }
        for (property, isLed) in [
          (Property.partner, former.partner == object && row.partner == object),
          (Property.port, former.port == object && row.port == object),
        ] where isLed {
          result.changes[member] = change.leadingNowhere(by: property)
          contexts[context].touchedObjects.insert(member)
        }
      }
      for (tie, isThere) in older.ties where isThere && tie.ends.contains(object) {
        result.ties[tie] = false
        contexts[context].touchedTies.insert(tie)
      }
    }
    // Links to what is deleted here.
    func isDeleted(_ object: Int) -> Bool { result.changes[object]?.isDelete ?? false }
    for object in spokenOf {
      // A link that only the store holds stays: it stands in the way of the save.
      for (property, target) in [
        (Property.country, result.changes[object]?.row?.country),
        (Property.partner, result.changes[object]?.row?.partner),
        (Property.port, result.changes[object]?.row?.port),
      ] {
        guard let target, isDeleted(target), let change = result.changes[object],
          change.sets(property)
        else { continue }
        result.changes[object] = change.leadingNowhere(by: property)
      }
    }
    // Partners that the receiver alone has, of either end of a pair that the newer make or part.
    for (object, change) in newer.changes where spokenOf.contains(object) && change.sets(.partner) {
      let partner = result.changes[object]?.row?.partner
      for (rival, change) in result.changes {
        guard let led = older.changes[rival]?.row?.partner, change.row?.partner == led,
          led == object && rival != partner || led == partner && rival != object
        else { continue }
        result.changes[rival] = change.leadingNowhere(by: .partner)
        contexts[context].touchedObjects.insert(rival)
      }
    }
    contexts[context].touchedObjects.formUnion(spokenOf)
    for (tie, isThere) in newer.ties {
      if !isThere || !tie.ends.contains(where: isDeleted) {
        contexts[context].touchedTies.insert(tie)
        continue
      }
      result.ties[tie] = older.ties[tie].map { $0 && !tie.ends.contains(where: deleted.contains) }
    }
    contexts[context].pending = result
  }

  private static func compose(_ newer: Change, onto older: Change?) -> Change? {
    switch (newer, older) {
    case (_, nil): return newer
    case (.delete, .delete?), (.update, .delete?): return nil
    case (.insert(let row), .delete(nil)?): return .insert(row)
    case (.insert(let row), .delete(let base?)?):
      return .update(row, base: base, Set(Property.allCases))
    case (.delete, .insert?): return .delete(base: nil)
    case (.delete, .update(_, let base, _)?): return .delete(base: base)
    case (.insert(let row), .insert?): return .insert(row)
    case (.insert(let row), .update(_, let base, _)?):
      return .update(row, base: base, Set(Property.allCases))
    case (.update(let row, _, let properties), .insert(var below)?):
      below.take(properties, from: row)
      return .insert(below)
    case (.update(let row, let seen, let properties), .update(var below, let base, let former)?):
      // Whoever started from what the receiver has pending goes back to the receiver's base.
      let hasSeenAll = seen.row == below
      below.take(properties, from: row)
      return .update(
        below, base: !hasSeenAll && seen.number < base.number ? seen : base,
        properties.union(former))
    }
  }
}
