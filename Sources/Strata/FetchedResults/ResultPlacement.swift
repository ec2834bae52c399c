// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord

/// The criterion of a list's sections.
enum SectionRule<Object: Entity> {
  case none
  /// A property of the objects, or of objects that they lead to.
  ///
  /// - Parameter key: sorts by the property.
  case property(any OperandNode, key: SortKey)
  /// The program's function of each object.
  case computed((Object) -> String?)

  var isSectioned: Bool { if case .none = self { false } else { true } }
}

/// Decides the objects of a fetched list and their places, for one object at a time, with the same
/// result as a fetch has for all of them.
///
/// ## Isolation
/// The context's.
struct ResultPlacement<Object: Entity> {
  private enum Section {
    case none
    /// The first sort key is the section's, too.
    case sorted(PathOperand)
    /// The list is in the order of the section first, and of the sort keys within it.
    case ordering(PathOperand, [ResolvedSortKey])
    case computed((Object) -> String?)
  }

  let plan: QueryPlan
  private let section: Section
  /// The dependencies of the list on other objects.
  let log: PathLog

  /// Whether the list is a window of the result, which one object does not tell.
  var isWindow: Bool { plan.limit != nil || plan.offset > 0 }

  /// - Throws: `QueryError`; `ContextError.unsortedSections`.
  init(
    _ request: FetchRequest<Object>, _ rule: SectionRule<Object>, entity: EntitySchema,
    schema: Schema
  ) throws {
    log = PathLog()
    plan = try QueryPlan(request, entity: entity, schema: schema, log: log)
    let resolver = PathResolver(schema: schema, entity: entity, log: log)
    switch rule {
    case .none: section = .none
    case .computed(let name): section = .computed(name)
    case .property(let operand, let key):
      let resolved = try operand.resolved(by: resolver.resolving(operand.extent))
      // The paths are in the log now.
      section = try Self.section(
        resolved, key, of: request, PathResolver(schema: schema, entity: entity, log: nil))
    }
  }

  private static func section(
    _ operand: any Operand, _ key: SortKey, of request: FetchRequest<Object>,
    _ resolver: PathResolver
  ) throws -> Section {
    guard let operand = operand as? PathOperand else {
      throw QueryError.unfitProperty(
        entity: resolver.entity.description.name, property: operand.description)
    }
    let resolved = try ResolvedSortKey(key, resolver)
    guard let slot = resolved.sortedSlot else {
      // Cases that are side by side in the order of an enum have sections of their own.
      let cases =
        try resolved.isRanked
        ? [ResolvedSortKey(operand, order: key.order, resolver)] : []
      return .ordering(operand, [resolved] + cases)
    }
    // The plan may leave the key out: all objects of a predicate may have one value of it.
    let first = try request.untyped.sortKeys.first.map { try ResolvedSortKey($0, resolver) }
    guard first?.sortedSlot == slot else {
      throw ContextError.unsortedSections(
        entity: operand.path.entityName, property: operand.path.name)
    }
    return .sorted(operand)
  }

  // MARK: - Placing

  /// The entry of an object; nil if it is none of the list's kind, or does not satisfy the
  /// predicate.
  ///
  /// - Parameter isFetched: whether the object is known to satisfy the predicate.
  func entry(
    of key: ObjectKey, _ record: Record, isFetched: Bool, _ reader: RowReader,
    _ loader: ObjectLoader, _ state: inout ResultState
  ) throws -> ResultEntry? {
    guard plan.family.contains(key.entity), let layout = plan.schema.layout(of: key.entity)
    else { return nil }
    return try record.withRow(of: key, layout) { row in
      guard try isFetched || plan.condition?.isTrue(of: row, reader) ?? true else { return nil }
      return try entry(of: row, reader, loader, &state)
    }
  }

  private func entry(
    of row: Row, _ reader: RowReader, _ loader: ObjectLoader, _ state: inout ResultState
  ) throws -> ResultEntry {
    var order: [UInt8] = []
    var name: String?
    switch section {
    case .none: break
    case .sorted(let operand): name = try operand.value(of: row, reader).sectionName
    case .ordering(let operand, let keys):
      name = try operand.value(of: row, reader).sectionName
      for key in keys { try key.append(row, reader, to: &order) }
    case .computed(let sectionName):
      name = (loader.instance(of: row.key) as? Object).flatMap(sectionName)
    }
    for key in plan.sort { try key.append(row, reader, to: &order) }
    return ResultEntry(key: row.key, order: order, section: state.section(named: name))
  }
}

extension PropertyValue {
  /// The name of the section of objects with this value. Equal values have one name.
  fileprivate var sectionName: String? {
    switch self {
    case .null, .data, .codable, .object: nil
    case .bool(let truth): "\(truth)"
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    // Adding nothing makes -0 of it +0, which it is equal to.
    case .double(let number): "\(number + 0)"
    case .decimal(let number): "\(number)"
    case .string(let text): text
    case .date(let date): date.formatted(.iso8601)
    case .uuid(let uuid): uuid.uuidString
    case .url(let url): url.absoluteString
    }
  }
}
