// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataLMDB
import StrataTesting

/// Errors of every public type, at least one of each case: the explicit list of `ErrorTextTests`.
///
/// The entity of a sample is called Gizmo, its property girth. A value that an object might have is
/// "secret".
struct ErrorSamples {
  /// A public type and its samples.
  struct Group {
    let type: String
    /// The path of the declaration in Sources.
    let file: String
    /// The enum whose cases the samples must cover; nil if the type has none.
    var cases: String?
    /// The names of the covered cases.
    var covered: Set<String> = []
    let errors: [any Error]
  }

  let id: ObjectID
  let conflict: MergePolicy.Conflict

  /// - Parameter container: of a store with a conflict between its root and the store.
  init(_ container: PersistentContainer, _ id: ObjectID) throws {
    let found = try container.root.performAndWait { context -> MergePolicy.Conflict? in
      do {
        try context.save()
        return nil
      } catch StoreError.conflicts(let conflicts) {
        return conflicts.first
      }
    }
    guard let found else { throw CocoaError(.featureUnsupported) }
    (self.id, conflict) = (id, found)
  }

  var groups: [Group] {
    [
      group(
        "StoreError", "StrataStore/Errors/StoreError.swift", storeErrors,
        plain: [
          "snapshotHeld": StoreError.snapshotHeld, "migrating": StoreError.migrating,
          "readOnly": StoreError.readOnly, "severalStores": StoreError.severalStores,
          "diskFull": StoreError.diskFull, "storeFull": StoreError.storeFull,
          "serialsExhausted": StoreError.serialsExhausted,
          "serialsUnreserved": StoreError.serialsUnreserved,
          "tooManyModels": StoreError.tooManyModels,
          "historyNotKept": StoreError.historyNotKept,
          "foreignHistoryToken": StoreError.foreignHistoryToken,
          "modelChanged": StoreError.modelChanged, "closed": StoreError.closed,
          "wouldDeadlock": StoreError.wouldDeadlock,
        ]),
      group(
        "ModelError", "StrataModel/Model/ModelError.swift", modelErrors,
        plain: ["tooLarge": ModelError.tooLarge]),
      group(
        "QueryError", "StrataQuery/QueryError.swift", queryErrors,
        plain: ["costlyPattern": QueryError.costlyPattern]),
      group(
        "ContextError", "Strata/Context/ContextError.swift", contextErrors,
        plain: [
          "recursiveSave": ContextError.recursiveSave,
          "endlessDidSave": ContextError.endlessDidSave,
          "tooManySavepoints": ContextError.tooManySavepoints,
          "foreignQueryGeneration": ContextError.foreignQueryGeneration,
          "contextGone": ContextError.contextGone, "wouldDeadlock": ContextError.wouldDeadlock,
          "notMergingAutomatically": ContextError.notMergingAutomatically,
          "pinnedToQueryGeneration": ContextError.pinnedToQueryGeneration,
        ]),
      Group(
        type: "PredicateFormatError", file: "StrataQuery/Format/PredicateFormatError.swift",
        errors: [PredicateFormatError(position: 3, found: "the end", expected: "a number")]),
      Group(
        type: "Mistake", file: "StrataChanges/Merging/MergePolicy+Mistake.swift", cases: "Cause",
        covered: Set(mistakes.map { String("\($0.cause)".prefix { $0.isLetter }) }),
        errors: mistakes),
      Group(
        type: "AncestorSaveError", file: "Strata/Context/AncestorSaveError.swift",
        errors: causes.flatMap { cause in
          [
            AncestorSaveError(level: 1, contextName: "import", underlyingError: cause),
            AncestorSaveError(level: 2, contextName: nil, underlyingError: cause),
          ]
        }),
      Group(
        type: "BatchRowError", file: "Strata/Batches/BatchError.swift",
        errors: causes.map { BatchRowError(row: 7, underlyingError: $0) }),
      Group(
        type: "BatchInterruption", file: "Strata/Batches/BatchError.swift",
        errors: causes.map {
          BatchInterruption(token: BatchToken(completedCount: 9), underlyingError: $0)
        }),
      Group(
        type: "FixtureError", file: "StrataTesting/Fixtures/FixtureError.swift", cases: "Mistake",
        covered: Set(fixtureMistakes.compactMap { Mirror(reflecting: $0).children.first?.label }),
        errors: fixtureMistakes.map { FixtureError([$0]) } + [FixtureError(fixtureMistakes)]),
    ]
  }

  private var fixtureMistakes: [FixtureError.Mistake] {
    let object = "Gizmo 1"
    return [
      .notJSON(offset: 7, expected: "a colon"), .unfitForm(part: nil, expected: "an object"),
      .unfitForm(part: object, expected: "an object"), .repeatedName("girth"),
      .unknownEntity("Gizmo"), .unknownProperty(object: object, property: "girth"),
      .derivedProperty(object: object, property: "girth"),
      .unfitValue(object: object, property: "girth", expected: "a number"),
      .unknownTarget(object: object, property: "girth", target: "places"),
      .unfitTarget(object: object, property: "girth", target: "places", expected: "Gadget"),
      .severalTargets(object: object, property: "girth", targets: ["Gadget 1", "Gadget 2"]),
      .unknownName("girth"),
    ]
  }

  /// - Parameter plain: the cases without values, which no mirror names.
  private func group(
    _ type: String, _ file: String, _ errors: [any Error], plain: [String: any Error]
  ) -> Group {
    let names = errors.compactMap { Mirror(reflecting: $0).children.first?.label }
    return Group(
      type: type, file: file, cases: type, covered: Set(names).union(plain.keys),
      errors: errors + plain.values)
  }

  /// An error of a program, with a value in its text.
  struct Refusal: Error, CustomStringConvertible {
    let description = "the secret is wrong"
  }

  private var causes: [any Error] {
    [
      StoreError.uniquenessViolations(violations), ContextError.validationFailed(failures),
      QueryError.unfitAssignment(entity: "Gizmo", property: "girth"), Refusal(),
      CancellationError(),
    ]
  }

  private var mistakes: [MergePolicy.Mistake] {
    let causes: [MergePolicy.Mistake.Cause] = [
      .unknownProperty(property: "girth"), .toManyRelationship(property: "girth"),
      .unfitValue(property: "girth"), .oneToOneRelationship(property: "girth"), .endless,
    ]
    return causes.map { MergePolicy.Mistake(objectID: id, policy: "mine", cause: $0) }
  }

  private var violations: [StoreError.UniquenessViolation] {
    [["girth"], ["girth", "weight"]].map {
      StoreError.UniquenessViolation(objectID: id, entity: "Gizmo", properties: $0, existing: id)
    }
  }

  private var failures: [ValidationFailure] {
    let rules: [ValidationFailure.Rule] = [
      .attribute(.length(min: 1, max: 5)), .required, .count(min: 2, max: nil), .byteCount(max: 9),
      .encodable,
    ]
    return rules.map {
      ValidationFailure(
        objectID: id, entity: "Gizmo", property: "girth", rule: $0, value: .string("secret"),
        error: nil)
    }
  }

  private func refused(_ rule: ValidationFailure.Rule) -> ValidationFailure {
    ValidationFailure(
      objectID: id, entity: "Gizmo", property: nil, rule: rule, value: .null, error: Refusal())
  }

  private var contextErrors: [ContextError] {
    let refusals: [ContextError.AssignmentRefusal] = [
      .notNew, .turnEnded, .linked, .readOnly, .notConfigured,
    ]
    let others: [ContextError] = [
      .objectNotFound(id), .unexpectedEntity(id, expected: "Gizmo", found: "Gadget"),
      .foreignObjectID(id), .unknownEntity("Gizmo"),
      .noUniquenessConstraint(entity: "Gizmo", properties: ["girth", "weight"]),
      .deleteDenied([.init(objectID: id, entity: "Gizmo", property: "girth")]),
      .validationFailed(failures), .validationFailed([refused(.hook(.validateForInsert))]),
      .validationFailed([refused(.unchanged(by: .validateForDelete))]),
      .validationFailed(failures + failures), .endlessWillSave([id]),
      .endlessWillSave([id, id, id, id]), .ancestorUnreachable(level: 2),
      .unsortedSections(entity: "Gizmo", property: "girth"),
      .interleavedSections(nil), .interleavedSections(id),
    ]
    return others
      + refusals.map { ContextError.cannotAssign(entity: "Gizmo", store: "places", $0) }
  }

  private var queryErrors: [QueryError] {
    [
      .unknownProperty(entity: "Gizmo", keyPath: "girth"),
      .unknownKey(entity: "Gizmo", key: "secret"),
      .transientProperty(entity: "Gizmo", property: "girth"),
      .externalProperty(entity: "Gizmo", property: "girth"),
      .mismatchedType(entity: "Gizmo", property: "girth", type: .int16),
      .unfitProperty(entity: "Gizmo", property: "girth"),
      .toManyProperty(entity: "Gizmo", property: "girth"),
      .mismatchedOperands(left: "a number", right: "a text"), .invalidPattern(reason: "secret"),
      .tooManyLevels(maximum: 256), .tooManyOperators(maximum: 1_000),
      .tooManySteps(maximum: 64), .unboundVariable("size"), .unsupportedValue(type: "Gadget"),
      .unsupportedExpression("a cast"), .ungroupedProperty(entity: "Gizmo", property: "girth"),
      .misplacedAggregate("sum"), .unfitGroupKey("girth + 1"), .duplicateColumn("girth"),
      .noValue(column: "girth"), .unassignableProperty(entity: "Gizmo", property: "girth"),
      .unfitAssignment(entity: "Gizmo", property: "girth"), .invalidWords(reason: "it has no word"),
      .withoutWordIndex(entity: "Gizmo", property: "girth"),
    ]
  }

  private var modelErrors: [ModelError] {
    let (entity, property) = ("Gizmo", "girth")
    return [
      .duplicateEntity(entity), .duplicateProperty(entity: entity, property: property),
      .unknownSuperentity(entity: entity, superentity: "Gadget"),
      .unknownDestination(entity: entity, property: property, destination: "Gadget"),
      .unknownInverse(entity: entity, property: property, destination: "Gadget"),
      .mismatchedInverse(entity: entity, property: property, inverse: "gizmo"),
      .conflictingInverse(entity: entity, property: property, inverse: "gizmo"),
      .unfitSymmetry(entity: entity, property: property),
      .indexedTransient(entity: entity, property: property),
      .unfitExternal(entity: entity, property: property),
      .unfitPreservation(entity: entity, property: property),
      .unfitFullText(entity: entity, property: property),
      .unindexableType(entity: entity, property: property, type: .codable),
      .unknownConstraintProperty(entity: entity, property: property),
      .toManyConstraint(entity: entity, property: property),
      .unfitConstraint(entity: entity, properties: [property]),
      .unfitConstraint(entity: entity, properties: []),
      .unknownIndexProperty(entity: entity, property: property),
      .toManyIndex(entity: entity, property: property),
      .unfitIndex(entity: entity, properties: [property]),
      .missingDefault(entity: entity, property: property),
      .mismatchedDefault(entity: entity, property: property),
      .unfitRule(entity: entity, property: property, rule: ".length(1...)"),
      .unfitMergeRule(entity: entity, property: property, rule: ".sum"),
      .invalidPattern(entity: entity, property: property, pattern: "(", reason: "expected ')'"),
      .unfitDerivation(entity: entity, property: property),
      .unfitName(entity: entity, property: property), .unfitName(entity: entity, property: nil),
      .tooManySuperentities(entity: entity),
    ]
  }
}

// MARK: - Of stores

extension ErrorSamples {
  private var storeErrors: [StoreError] {
    let (entity, property, path) = ("Gizmo", "girth", "/tmp/a.strata")
    let incompatibilities: [StoreError.Incompatibility] = [
      .sameStore("a", "b"), .sameSerials("a", "b"), .differentNumbers("a", "b"),
      .unknownEntity(entity, store: "a"), .noSerialsLeft,
    ]
    let causes: [StoreError.DanglingLink.Cause] = [
      .missingTarget, .unknownReferrer, .unknownMember, .deniedReferrer, .deniedMember,
    ]
    let links = causes.map {
      StoreError.DanglingLink(
        owner: id, entity: entity, property: property, target: id, cause: $0)
    }
    let across = StoreError.LinkAcrossStores(
      owner: id, entity: entity, property: property, target: id, ownerStore: "a", targetStore: nil)
    let count = StoreError.CountViolation(
      objectID: id, entity: entity, property: property, count: 3, max: 2)
    let token = HistoryToken(storeID: UUID(), generation: 1)
    var errors: [StoreError] = [
      .fileExists(path: path), .storeInUse(path: path), .folderMissing(path: path),
      .notAFileURL(url: "http://localhost"), .storeMissing(path: path),
      .permissionDenied(path: path), .notAStrataStore(path: path), .unsupportedFormat(found: 99),
      .laterModel(stage: "split"), .migrationRequired(path: path),
      .malformedNames(["", "Gizmo.girth.depth"]),
      .valuesMissing(entity: entity, property: property, objectCount: 2),
      .damaged(tree: "r3", key: "serial 5", reason: "the bytes end early"),
      .damaged(tree: "the file", key: nil, reason: "it makes no sense: there is no such model."),
      .linksAcrossStores([across]), .severalStoresChanged(stores: ["a", "b"]),
      .noStore(entity: entity), .noSuchStore(name: "a"),
      .mergePolicyMistakes(mistakes),
      .conflicts([conflict]), .danglingLinks(links), .uniquenessViolations(violations),
      .countViolations([count]), .historyTooOld(oldest: token), .invalidMetadataKey("secret"),
      .objectTooLarge(id, derivedProperty: nil), .objectTooLarge(id, derivedProperty: property),
      .deletionTooLarge(objectCountMax: 40), .storeBusy(processID: 7),
      .storeBusy(processID: nil), .unknownConsumer("index"),
      .invalidConsumerName("secret"), .fileReplaced(path: path),
    ]
    errors += incompatibilities.map { StoreError.incompatibleStores($0) }
    errors += links.map { StoreError.danglingLinks([$0]) }
    errors += mismatches.map { StoreError.modelMismatch([$0]) }
    errors.append(.modelMismatch(mismatches))
    errors += storageFailures.map { StoreError.storage(StoreError.StorageFailure($0)) }
    return errors
  }

  private var mismatches: [ModelMismatch] {
    let kinds: [ModelMismatch.Kind] = [
      .removed, .removedWithObjects, .missingDefault, .missingDefaultForNil,
      .changedType(from: .string, to: .int64), .changedStorage, .newDerivation,
      .changedRelationship, .changedKind, .becameAbstract, .ambiguousOriginalName("girth"),
      .replaced(by: "width"), .unknownOriginalName("width"),
    ]
    return kinds.map { ModelMismatch("Gizmo", property: "girth", $0) }
      + [ModelMismatch("Gizmo", .removed)]
  }

  private var storageFailures: [LMDBError] {
    [
      .noSuchFile, .permissionDenied, .notAnLMDBFile, .versionMismatch,
      .unsupportedFileSystem(name: "nfs"), .alreadyOpen(durability: .full), .forked,
      .fileReplaced(path: "/tmp/a.strata"), .mediumChanged(path: "/tmp/a.strata"),
      .writtenByAnother(path: "/tmp/a.strata"), .foreignLockFile(path: "/tmp/a.strata-lock"),
      .mapFull, .diskFull, .readersFull, .transactionFull, .treesFull, .outOfMemory, .badValueSize,
      .badTransaction, .badTree, .incompatibleTree, .mapResized, .badReaderSlot, .corrupted,
      .reserveTooSmall(fittingPermille: 90),
      .pageNotFound, .damagedPage(number: 3, .order), .panic, .io(errno: 5), .other(code: -30_000),
    ]
  }
}
