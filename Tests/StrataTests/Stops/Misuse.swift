// SPDX-License-Identifier: Apache-2.0

/// A mistake of a program that the compiler cannot find and at which Strata stops the program.
///
/// Each case has the sentence that must be printed and the code that makes the mistake
/// (`commit()`). `documented` names the declarations whose documentation allows the stop;
/// `StopTests` compares it with the sources.
enum Misuse: String, Codable, CaseIterable, Sendable {
  // Requests
  case limit, offset, rowLimit, rowOffset, prefetchedCalculation, batchSize, indexBeyondBatches
  // Batches
  case rowsPerTransaction, objectsPerTransaction, computedRowValue, rollbackInRow, resetInRow
  // Objects
  case classOutsideOfModel, abstractClass, abstractUpsert, valueOfOtherType, slotOfOtherType
  case slotBeyondClass, setSlotBeyondClass, unencodableDefault, unreadableDefault
  case unknownRelationship, unknownRelationshipIDs
  // Two contexts
  case assignedObject, insertedObject, lookedUpMember, removedMember, replacedMembers,
    appendedObject
  case listedObject, deletedObject, refreshedObject, checkedObject, movedObject
  // Members
  case memberOfOtherEntity, listMemberOfOtherEntity, indexBeyondList, indexBeforeList
  case insertionBeyondList, moveFromBeyondList, moveToBeyondList, removalBeyondList
  // Fetched lists
  case placeBeyondList, sectionBeyondList, sectionBeyondSnapshot, indexBeyondFetchedObjects
  // Undo
  case groupEndWithoutBeginning, undoInGroup, redoInGroup, registrationNotDisabled
  case managerOfTwoContexts
  // Contexts and stores
  case goneContextValue, goneContextRelationship, goneContextMembers, goneContextAttribute
  case goneContextChanges, foreignIsolation, noStores, upsertOfFewerValues
  // Migrations
  case migrationBatchSize, migrationOnOtherThread
  // Limits
  case mergedObjectOf4GiB

  /// The sentence on standard error.
  var sentence: String {
    switch self {
    case .limit, .rowLimit: "A request's limit(_:) takes 0 or more, not -1."
    case .offset, .rowOffset: "A request's offset(_:) takes 0 or more, not -2."
    case .prefetchedCalculation:
      "prefetching(_:) takes a path of relationships, without a calculation."
    case .batchSize: "fetch(_:inBatchesOf:) takes 1 object or more, not 0."
    case .indexBeyondBatches:
      "The fetch has 1 objects, and none at index 1: compare with endIndex."
    case .rowsPerTransaction:
      "BatchInsertRequest.committing(every:) takes 1 row or more, not 0."
    case .objectsPerTransaction:
      "BatchUpdateRequest.committing(every:) takes 1 object or more, not -1."
    case .computedRowValue:
      "Ballot has no attribute of this type there: read the attributes that the class is"
    case .rollbackInRow, .resetInRow:
      "rollback() and reset() wait for a save that is under way: do not call them in code that"
    case .classOutsideOfModel: "Nation is not an entity of this context's model: name it"
    case .abstractClass, .abstractUpsert:
      "is an abstract entity: insert an object of an entity that inherits from it."
    case .valueOfOtherType:
      "Crossed.number has no value of the type that is read, which has no zero: a property of a"
    case .slotOfOtherType:
      "Slot 1 of Crossed is described as int64, and was set to string: a property of a class"
    case .slotBeyondClass, .setSlotBeyondClass:
      "Crossed has 2 slots, and none at 2: a property of a class has the type and the slot of"
    case .unencodableDefault:
      "A default of type Silent does not encode itself, because encode(to:) throws: declare a"
    case .unreadableDefault:
      "The default of Recording.echo cannot be read: its type refuses the value that it is stored"
    case .unknownRelationship, .unknownRelationshipIDs:
      "City has no relationship river: pass the name of one."
    case .assignedObject: "An object of Country is of another context: pass its objectID"
    case .insertedObject, .lookedUpMember, .removedMember, .replacedMembers, .appendedObject,
      .listedObject, .deletedObject, .refreshedObject, .checkedObject, .movedObject:
      "An object of City is of another context: pass its objectID"
    case .memberOfOtherEntity, .listMemberOfOtherEntity:
      "which is of another entity: check objectID.entityName first."
    case .indexBeyondList, .moveFromBeyondList, .removalBeyondList:
      "Route.stops has 1 members, and none at index 1: compare with count."
    case .indexBeforeList: "Route.stops has 1 members, and none at index -1: compare with count."
    case .insertionBeyondList, .moveToBeyondList:
      "Route.stops has 1 members: an index to insert at is from 0 to 1, not 2."
    case .placeBeyondList:
      "has no object at item 1 of section 0: snapshot.objectID(at:) is nil there."
    case .sectionBeyondList, .sectionBeyondSnapshot:
      "The fetched list has 1 sections, and none at index 1: compare with sectionCount."
    case .indexBeyondFetchedObjects:
      "The list has 1 objects, and none at index 1: compare with endIndex."
    case .groupEndWithoutBeginning: "endUndoGrouping() ends what beginUndoGrouping() began"
    case .undoInGroup, .redoInGroup: "End the groups that beginUndoGrouping() began before"
    case .registrationNotDisabled:
      "enableUndoRegistration() takes back disableUndoRegistration(): call that first."
    case .managerOfTwoContexts: "An undo manager is of one context: make one for each."
    case .goneContextValue: "the value of City.name cannot be loaded, because the context of"
    case .goneContextRelationship: "the relationship City.country cannot be read, because"
    case .goneContextMembers: "the relationship Country.cities cannot be read, because"
    case .goneContextAttribute: "keep a reference to the context for as long as its objects are"
    case .goneContextChanges: "the changes of this City are not known, because the context of"
    case .foreignIsolation: "This code is isolated to a ContextActor in which it does not run"
    case .noStores: "PersistentStoreCoordinator(stores:model:) takes 1 description or more"
    case .upsertOfFewerValues:
      "upsert(_:from:matching:with:) takes values of the same properties for each row."
    case .migrationBatchSize: "Migration.forEach takes a batchSize of 1 object or more, not 0."
    case .migrationOnOtherThread: "uses its contexts on the thread on which it is called."
    case .mergedObjectOf4GiB: "An object in memory has less than 4 GiB, and its merged changes"
    }
  }

  /// The stops that only a page allows: Docs/Limits.md.
  static let documentedByPages: Set<Misuse> = [.mergedObjectOf4GiB]

  /// The declarations whose documentation has a precondition or says that the program stops, by
  /// file and name, with the mistakes that show the stop.
  static let documented: [String: [Misuse]] = [
    "BatchInsertRequest.swift committing": [.rowsPerTransaction],
    "BatchRow.swift subscript": [.computedRowValue],
    "BatchUpdateRequest.swift committing": [.objectsPerTransaction],
    "ContextActor.swift checkIsolated": [.foreignIsolation],
    "FetchedObjects.swift subscript": [.indexBeyondFetchedObjects],
    "FetchedResultsController.swift object": [.placeBeyondList],
    "FetchedResultsController.swift section": [.sectionBeyondList],
    "FetchedResultsSnapshot.swift section": [.sectionBeyondSnapshot],
    "FetchRequest.swift limit": [.limit],
    "FetchRequest.swift offset": [.offset],
    "FetchRequest.swift prefetching": [.prefetchedCalculation],
    "ManagedObject+Attributes.swift subscript": [
      .valueOfOtherType, .slotOfOtherType, .slotBeyondClass, .setSlotBeyondClass,
    ],
    "ManagedObject+Changes.swift hasFault": [.unknownRelationship],
    "ManagedObject+Changes.swift objectIDs": [.unknownRelationshipIDs],
    "ManagedObject+Names.swift members": [.memberOfOtherEntity],
    "ManagedObject+Names.swift orderedMembers": [.listMemberOfOtherEntity],
    "ManagedObject.swift init": [.classOutsideOfModel, .abstractClass],
    "ManagedObject.swift ManagedObject": [
      .goneContextValue, .goneContextRelationship, .goneContextMembers, .goneContextAttribute,
      .goneContextChanges,
    ],
    "ManagedObjectContext+Assigning.swift assign": [.movedObject],
    "ManagedObjectContext+Assigning.swift init": [.abstractClass],
    "ManagedObjectContext+Conflicts.swift detectConflicts": [.checkedObject],
    "ManagedObjectContext+Refreshing.swift refresh": [.refreshedObject],
    "ManagedObjectContext+Refreshing.swift refreshObjects": [.refreshedObject],
    "ManagedObjectContext+Undo.swift undoManager": [.managerOfTwoContexts],
    "ManagedObjectContext+Upserting.swift upsert": [.abstractUpsert, .upsertOfFewerValues],
    "ManagedObjectContext.swift delete": [.deletedObject],
    "ManagedObjectContext.swift ManagedObjectContext": [.goneContextValue],
    "ManagedObjectContext.swift reset": [.resetInRow],
    "ManagedObjectContext.swift rollback": [.rollbackInRow],
    "Migration.swift forEach": [.migrationBatchSize],
    "Migration.swift Migration": [.migrationOnOtherThread],
    "ObjectBatches.swift fetch": [.batchSize],
    "ObjectBatches.swift subscript": [.indexBeyondBatches],
    "OrderedToMany.swift append": [.appendedObject],
    "OrderedToMany.swift contains": [.lookedUpMember],
    "OrderedToMany.swift firstIndex": [.listedObject],
    "OrderedToMany.swift insert": [.insertionBeyondList, .appendedObject],
    "OrderedToMany.swift move": [.moveFromBeyondList, .moveToBeyondList],
    "OrderedToMany.swift remove": [.removalBeyondList, .removedMember],
    "OrderedToMany.swift replace": [.replacedMembers],
    "OrderedToMany.swift subscript": [.indexBeyondList, .indexBeforeList],
    "PersistentStoreCoordinator+Stores.swift init": [.noStores],
    "PropertyDescription+Attributes.swift attribute": [
      .unencodableDefault, .unreadableDefault,
    ],
    "RowRequest.swift limit": [.rowLimit],
    "RowRequest.swift offset": [.rowOffset],
    "ToMany.swift contains": [.lookedUpMember],
    "ToMany.swift insert": [.insertedObject],
    "ToMany.swift remove": [.removedMember],
    "ToMany.swift replace": [.replacedMembers],
    "ToMany.swift subscript": [.assignedObject],
    "UndoManager.swift enableUndoRegistration": [.registrationNotDisabled],
    "UndoManager.swift endUndoGrouping": [.groupEndWithoutBeginning],
    "UndoManager.swift redo": [.redoInGroup],
    "UndoManager.swift undo": [.undoInGroup],
  ]
}
