// SPDX-License-Identifier: Apache-2.0
public import Strata

/// The ledger's model in another later version of the writer, to which a stage leads: the text of a
/// line is split into two numbers, and each sheet has a count.
public enum StagedLedger {
  @Entity public final class Progress: ManagedObject {
    public var latest: Int = 0
  }

  @Entity public final class Sheet: ManagedObject {
    @Attribute(.unique) public var sequence: Int
    @Attribute(.indexed) public var lineCount: Int
    @Relationship(deleteRule: .cascade, inverse: \Line.sheet) public var lines: ToMany<Line>
    @Relationship(deleteRule: .cascade, inverse: \Mark.sheet) public var marks: ToMany<Mark>
  }

  @Entity public final class Line: ManagedObject {
    @Attribute(.indexed) public var sequence: Int
    @Attribute(.indexed) public var text: Int
    public var index: Int
    public var sheet: Sheet?
    @Relationship(inverse: \Mark.lines) public var marks: ToMany<Mark>
  }

  @Entity public final class Mark: ManagedObject {
    @Attribute(.indexed) public var sequence: Int
    public var sheet: Sheet?
    public var lines: ToMany<Line>
  }

  public static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Progress.self, Sheet.self, Line.self, Mark.self)
  }

  public static func plan() throws -> MigrationPlan {
    try MigrationPlan(
      MigrationStage(
        "split texts", from: Ledger.model(), to: model(),
        converting: ["Line.text", "Line.index", "Sheet.lineCount"]
      ) { migration in
        try migration.forEach("Sheet", batchSize: 10) { former in
          let sheet = try migration.context.existingObject(Sheet.self, with: former.objectID)
          sheet.lineCount = try former.members("lines").count
        }
        try migration.forEach("Line", batchSize: 10) { former in
          let line = try migration.context.existingObject(Line.self, with: former.objectID)
          let parts = (try former.value("text", as: String.self) ?? "").split(separator: "/")
          line.text = Int(parts[0]) ?? -1
          line.index = Int(parts[1]) ?? -1
        }
      })
  }
}
