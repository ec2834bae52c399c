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
  case property(any OperandNode, SortKey.Direction)
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
    case ordering(PathOperand, isDescending: Bool)
    case computed((Object) -> String?)
  }

  let plan: QueryPlan
  private let section: Section
  /// The dependencies of the list on other objects.
  let log: PathLog

  /// Whether the list is a window of the result, which one object alone does not tell.
  var isWindow: Bool { plan.limit != nil || plan.offset > 0 }

  /// - Throws: `QueryError`; `ContextError.unsortedSections`.
  init(
    _ request: FetchRequest<Object>, _ rule: SectionRule<Object>, entity: EntitySchema,
    schema: Schema
  ) throws {
    plan = try QueryPlan(request, entity: entity, schema: schema)
    log = PathLog()
    let resolver = PathResolver(schema: schema, entity: entity, log: log)
    _ = try request.predicate?.node.resolved(by: resolver)
    switch rule {
    case .none: section = .none
    case .computed(let name): section = .computed(name)
    case .property(let operand, let direction):
      section = try Self.section(
        operand.resolved(by: resolver), isDescending: direction == .descending, plan.sort, entity)
    }
  }

  private static func section(
    _ operand: any Operand, isDescending: Bool, _ sort: [ResolvedSortKey], _ entity: EntitySchema
  ) throws -> Section {
    guard let operand = operand as? PathOperand else {
      throw QueryError.unfitProperty(
        entity: entity.description.name, property: operand.description)
    }
    let path = operand.path
    switch path.kind {
    case .toOne, .toMany, .attribute(.codable), .attribute(.data), .attribute(.url):
      throw QueryError.unfitProperty(entity: path.entityName, property: path.name)
    case .attribute: break
    }
    guard path.hops.isEmpty, path.composite == nil else {
      return .ordering(operand, isDescending: isDescending)
    }
    guard sort.first?.slot == path.slot else {
      throw ContextError.unsortedSections(entity: path.entityName, property: path.name)
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
    case .ordering(let operand, let isDescending):
      let value = try operand.value(of: row, reader)
      name = value.sectionName
      let isCut = KeyEncoder.append(value: value, kind: operand.path.kind, to: &order)
      if isCut, case .string(let text) = value { order.append(wholeText: text) }
      if isDescending { order.invert(from: 0) }
    case .computed(let sectionName):
      name = (loader.instance(of: row.key) as? Object).flatMap(sectionName)
    }
    for key in plan.sort where key.append(row, to: &order) {
      guard let text = String(row.layout.slot(key.slot, at: row.start)) else { continue }
      let start = order.count
      order.append(wholeText: text)
      if key.isDescending { order.invert(from: start) }
    }
    return ResultEntry(key: row.key, order: order, section: state.section(named: name))
  }
}

extension [UInt8] {
  /// Appends a text in a form that keeps its order whatever follows: it distinguishes texts that an
  /// index key truncates.
  fileprivate mutating func append(wholeText text: String) {
    for byte in NormalForm.bytes(of: text, byteCountMin: .max) {
      if byte <= 1 { append(1) }
      append(byte)
    }
    append(0)
  }

  fileprivate mutating func invert(from start: Int) {
    for index in start..<count { self[index] = ~self[index] }
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
