// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite struct `The public types` {
  /// A module's symbol graph, as the compiler writes it.
  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Kind: Decodable { let identifier: String }
      let kind: Kind
      let pathComponents: [String]
    }
    let symbols: [Symbol]
  }

  /// The top-level types that `import Strata` shows. Names that begin with an underscore are for
  /// the macros and are not in symbol graphs.
  private static let types = """
    AncestorSaveError AttributeDerivation AttributeDescription AttributeOption AttributeRule
    AttributeType AttributeValue BackupProgress BatchDeleteRequest BatchDeleteResult
    BatchInsertRequest BatchInsertResult BatchInterruption BatchProgress BatchRow BatchRowError
    BatchToken BatchUpdateRequest BatchUpdateResult Calculable ChangedObjects ColumnValue
    CompactionResult ContextActor ContextError ContextExecutor ContextLayer ContextParent
    ContextQueue DeleteRule Entity EntityDescription FetchColumn FetchPredicate FetchProgress
    FetchRequest FetchedIndexPath FetchedObjects FetchedResultsChangeType
    FetchedResultsController FetchedResultsControllerDelegate FetchedResultsDifference
    FetchedResultsSection FetchedResultsSnapshot FetchedResultsUpdate HistoryChange
    HistoryConsumer HistoryRequest HistoryRetention HistoryStatus HistoryToken
    HistoryTransaction LiveValues ManagedObject ManagedObjectContext ManagedObjectModel
    MergePolicy MergeRule Migration MigrationPlan MigrationProgress MigrationReport
    MigrationStage ModelError ModelMismatch ObjectBatches ObjectID OldestReader OrderedToMany
    PersistentContainer
    PersistentStoreCoordinator PersistentStoreDescription PredicateFormatError
    PropertyDescription PropertyPath PropertyValue QueryError QueryExplanation
    QueryGenerationToken RelationshipDescription RelationshipOption RemoteChange RowRequest
    SaveDestination SnapshotEvents StoreDurability StoreError StoreMetadata StoredObject
    StrataLog TextOptions TextValue ToMany UniqueValue ValidationFailure
    WordQuery
    """

  /// The top-level types of StrataTesting.
  private static let typesForTests = """
    ChangeSubject Deleted ExpectedChange ExpectedChanges Fixture FixtureError FixtureObjects
    GoldenStore Inserted TestClock TestStore Updated
    """

  /// The modules that `import Strata` exports, and those beneath them.
  private static let modules = [
    "Strata", "StrataStore", "StrataQuery", "StrataChanges", "StrataRecord", "StrataModel",
    "StrataLMDB", "StrataPrimitives",
  ]

  @Test func `are those of the list and no others`() throws {
    try expectTypes(Self.types, of: Self.modules)
  }

  @Test func `of StrataTesting are those of its list and no others`() throws {
    try expectTypes(Self.typesForTests, of: ["StrataTesting"])
  }

  private func expectTypes(_ types: String, of modules: [String]) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-symbols-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for module in modules {
      let outcome = try Compiler.extractSymbols(of: module, to: folder)
      #expect(outcome.succeeded, "\(outcome.output)")
    }
    var found: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    {
      for symbol in try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file)).symbols
      where symbol.pathComponents.count == 1
        && ["struct", "class", "enum", "protocol", "typealias"].contains(
          symbol.kind.identifier.dropFirst("swift.".count))
      {
        found.insert(symbol.pathComponents[0])
      }
    }
    let listed = Set(types.split(whereSeparator: \.isWhitespace).map(String.init))
    #expect(found.subtracting(listed).sorted() == [], "public, and not in the list")
    #expect(listed.subtracting(found).sorted() == [], "in the list, and not public")
  }
}
