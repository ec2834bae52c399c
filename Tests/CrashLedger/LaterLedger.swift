// SPDX-License-Identifier: Apache-2.0
public import Strata

/// The ledger's model in a later version of the writer: a name, an index and an attribute changed.
public enum LaterLedger {
  @Entity public final class Progress: ManagedObject {
    public var latest: Int = 0
  }

  @Entity public final class Sheet: ManagedObject {
    @Attribute(.unique) public var sequence: Int
    @Relationship(deleteRule: .cascade, inverse: \Row.sheet, originalName: "lines")
    public var rows: ToMany<Row>
    @Relationship(deleteRule: .cascade, inverse: \Mark.sheet) public var marks: ToMany<Mark>
  }

  @Entity(originalName: "Line") public final class Row: ManagedObject {
    public var sequence: Int
    @Attribute(.indexed, originalName: "text") public var content: String
    @Attribute(.indexed) public var note: String = "none"
    public var sheet: Sheet?
    @Relationship(inverse: \Mark.rows) public var marks: ToMany<Mark>
  }

  @Entity public final class Mark: ManagedObject {
    @Attribute(.indexed) public var sequence: Int
    public var sheet: Sheet?
    @Relationship(originalName: "lines") public var rows: ToMany<Row>
  }

  public static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Progress.self, Sheet.self, Row.self, Mark.self)
  }
}
