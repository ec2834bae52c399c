// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

/// The trees of the file: the one type that depends on the file's shape.
///
/// | tree | key | value |
/// | --- | --- | --- |
/// | `catalog` | name | see `Catalog` |
/// | `r` + entity number | serial, 6 bytes | envelope and record |
/// | `x` + entity number | serial, 6 bytes; property number, 2 | an external attribute's bytes |
/// | `i` + entity number | number, 2 bytes; value; object, 8 | further objects, see `Postings` |
/// | `i` + entity number | number of a constraint, 2 bytes; the same | the same |
/// | `i` + entity number | number, 2 bytes; owner, 8; target, 8 | nothing, or a position, 8 bytes |
///
/// Each entity has its own tree of records, so that new ones are appended. The indexes over the
/// properties that an entity declares share one tree, so that a small save changes few trees.
/// Docs/FileFormat.md has the measurements.
///
/// All trees are created with the store and opened with it. A handle that is opened later is
/// invalid in snapshots that began earlier, which would read an entity as empty.
///
/// The handles do not change. `knownWords` does: it is a cache over the trees' contents, kept here
/// because all views of the store have the trees.
///
/// ## Invariants
/// - I1 The number of a property and its `reversed` lead to the same tree.
///
/// ## Isolation
/// Sendable: the handles are constant, and `knownWords` has a lock.
final class Trees: Sendable {
  static let catalogName = "catalog"

  /// The trees of one entity.
  private struct Own {
    /// The tree of records; nil for an abstract entity.
    var records: Tree?
    /// The tree of external bytes; nil if the entity has no external attributes.
    var external: Tree?
    /// Nil if it declares nothing that has entries.
    var entries: Tree?
  }

  /// By entity number.
  private let own: [Own]
  /// By property number; nil where there is neither an index nor links.
  private let entries: [Tree?]
  /// By the tree's index.
  private let names: [String?]
  /// The statistics of the indexes of words, since they were first asked for.
  let knownWords = KnownWords()

  /// - Throws: `damaged` if a tree of the schema is not in the file; `storage`.
  init(_ schema: Schema, in environment: Environment) throws(StoreError) {
    let all = Array(Self.names(schema).dropFirst())
    let opened = try Self.open(all, in: environment)
    let indexes = opened.map { $0?.index ?? 0 }
    var names = [String?](repeating: nil, count: (indexes.max() ?? 0) + 1)
    var place = 0
    /// The next of the trees, which come in the order of `names(_:)`.
    func next() throws(StoreError) -> Tree {
      let name = all[place]
      guard let tree = opened[place] else {
        throw .damaged(tree: name, key: nil, reason: "the tree is missing")
      }
      place += 1
      names[tree.index] = name
      return tree
    }
    var own = [Own](repeating: Own(), count: Int(schema.numbers.lastEntity) + 1)
    var entries = [Tree?](repeating: nil, count: Int(schema.numbers.lastProperty) + 1)
    for entity in schema.entities {
      let number = Int(entity.number.rawValue)
      if entity.hasRecordTree { own[number].records = try next() }
      let properties = Self.ownNumbersWithEntries(of: entity)
      if !properties.isEmpty {
        let shared = try next()
        own[number].entries = shared
        for property in properties { entries[Int(property.rawValue)] = shared }
      }
      if entity.hasExternalTree { own[number].external = try next() }
    }
    self.own = own
    self.entries = entries
    self.names = names
  }

  private static func open(
    _ names: [String], in environment: Environment
  ) throws(StoreError) -> [Tree?] {
    if let trees = try? environment.trees(named: names) { return trees }
    // One by one, to say which of them it is.
    var trees: [Tree?] = []
    for name in names {
      do throws(LMDBError) {
        trees.append(try environment.tree(named: name))
      } catch {
        throw StoreError(error, tree: name)
      }
    }
    return trees
  }

  /// The names of all trees of a store of `schema`, the catalog's first; the trees of an entity in
  /// the order records, entries, external attributes.
  static func names(_ schema: Schema) -> [String] {
    [catalogName]
      + schema.entities.flatMap { entity in
        var kinds: [TreeKind] = []
        if entity.hasRecordTree { kinds.append(.records) }
        if !ownNumbersWithEntries(of: entity).isEmpty { kinds.append(.entries) }
        if entity.hasExternalTree { kinds.append(.external) }
        return kinds.map { $0.name(of: entity.number) }
      }
  }

  /// The trees that a store of `model` may have open, and some to spare.
  static func countMax(_ model: ManagedObjectModel) -> Int {
    countMax(ofEntities: model.entities.count)
  }

  /// The trees that a store of any model may have open. LMDB reserves address space for each of
  /// them, and takes memory only for those that are opened.
  static var countMaxOfAnyModel: Int { countMax(ofEntities: ManagedObjectModel.entityCountMax) }

  private static func countMax(ofEntities count: Int) -> Int { 3 * count + 16 }

  private static func ownNumbersWithEntries(of entity: EntitySchema) -> [PropertyNumber] {
    let single: [PropertyNumber] = entity.description.ownProperties.indices.compactMap { slot in
      let property = entity.description.properties[slot]
      let hasEntries = property.attribute?.isIndexed ?? true
      return hasEntries ? entity.numbers[slot] : nil
    }
    let compound = entity.indexes.filter(\.isCompound).map(\.number)
    let own = entity.description.uniqueTogether.count + entity.description.indexes.count
    let words = entity.indexes.filter {
      $0.isOfWords && $0.slot >= entity.description.firstOwnSlot
    }
    return single + compound.suffix(own) + words.map(\.number)
  }

  /// The records of an entity; nil if it is abstract or unknown.
  func records(of entity: EntityNumber) -> Tree? { own(of: entity)?.records }

  /// The bytes of an entity's external attributes; nil if it has none.
  func external(of entity: EntityNumber) -> Tree? { own(of: entity)?.external }

  /// The index over a property, or the links of a relationship; nil if there are none.
  func entries(of property: PropertyNumber) -> Tree? {
    let index = Int(property.rawValue & PropertyNumber.rawValueMax)
    return index < entries.count ? entries[index] : nil
  }

  /// The indexes over the properties that an entity declares, and the links of its relationships;
  /// nil if there are none.
  func entries(declaredBy entity: EntityNumber) -> Tree? { own(of: entity)?.entries }

  @inline(__always)
  private func own(of entity: EntityNumber) -> Own? {
    let index = Int(entity.rawValue)
    return index < own.count ? own[index] : nil
  }

  func name(of tree: Tree) -> String {
    (tree.index < names.count ? names[tree.index] : nil) ?? "unknown tree"
  }
}

extension EntitySchema {
  /// Whether there are objects of just this entity.
  fileprivate var hasRecordTree: Bool { !description.isAbstract }

  /// Whether objects of just this entity have external attributes, inherited ones included.
  fileprivate var hasExternalTree: Bool {
    !description.isAbstract && !layout.externalSlots.isEmpty
  }
}
