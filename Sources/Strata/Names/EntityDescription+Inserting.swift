// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataRecord

extension EntityDescription {
  /// Inserts a new object of the entity called `name` into `context`, with its attributes at their
  /// defaults: for code that does not have the entity's class. The object is of that class if the
  /// model has one. Core Data: `insertNewObject(forEntityName:into:)`.
  ///
  /// - Throws: `ContextError.unknownEntity` if the model has no such entity, or if it is abstract.
  @discardableResult
  public static func insertNewObject(
    forEntityName name: String, into context: ManagedObjectContext
  ) throws -> ManagedObject {
    try insertNewObject(forEntityName: name, into: context, serial: nil)
  }

  /// Inserts a new object with a serial that is given: to make the objects of another store again.
  ///
  /// - Parameter serial: no object of the store has it, and none will be given it; nil for the next
  ///   free one.
  /// - Throws: as `insertNewObject(forEntityName:into:)`.
  @discardableResult
  package static func insertNewObject(
    forEntityName name: String, into context: ManagedObjectContext, serial: UInt64?
  ) throws -> ManagedObject {
    guard let entity = context.schema.entity(named: name), !entity.description.isAbstract,
      let binding = context.registry.binding(of: entity.number)
    else { throw ContextError.unknownEntity(name) }
    return context.work.insert(binding, serial: serial)
  }
}
