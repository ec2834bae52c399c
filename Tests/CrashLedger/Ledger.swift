// SPDX-License-Identifier: Apache-2.0
public import Strata

// The data that the writer writes. Save `n` inserts a sheet, its lines and its marks, all with
// sequence `n` and linked with one another, moves `latest` to `n`, and removes the objects of save
// `n - kept`. So for every `n` there is one right state of the store.

/// One object, changed by each save.
@Entity public final class Progress: ManagedObject {
  public var latest: Int = 0
}

/// One object per save.
@Entity public final class Sheet: ManagedObject {
  @Attribute(.unique) public var sequence: Int
  @Relationship(deleteRule: .cascade, inverse: \Line.sheet) public var lines: ToMany<Line>
  @Relationship(deleteRule: .cascade, inverse: \Mark.sheet) public var marks: ToMany<Mark>
}

/// `Ledger.lineCount` objects per save.
@Entity public final class Line: ManagedObject {
  @Attribute(.indexed) public var sequence: Int
  @Attribute(.indexed) public var text: String
  public var sheet: Sheet?
  @Relationship(inverse: \Mark.lines) public var marks: ToMany<Mark>
}

/// `Ledger.markCount` objects per save, each linked with all lines of the save.
@Entity public final class Mark: ManagedObject {
  @Attribute(.indexed) public var sequence: Int
  public var sheet: Sheet?
  public var lines: ToMany<Line>
}

public enum Ledger {
  public static let lineCount = 4
  public static let markCount = 2
  /// How many of the latest saves' objects are in the store.
  public static let kept = 40

  public static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Progress.self, Sheet.self, Line.self, Mark.self)
  }

  /// The content of a line.
  public static func text(_ sequence: Int, _ index: Int) -> String { "\(sequence)/\(index)" }

  /// Makes all changes of save `sequence`; the context still has to save.
  public static func write(_ sequence: Int, in context: ManagedObjectContext) throws {
    let progress = try context.fetch(Progress.all).first ?? Progress(context: context)
    progress.latest = sequence
    fill(sequence, in: context)
    for old in try context.fetch(Sheet.where { $0.sequence == sequence - kept }) {
      context.delete(old)
    }
  }

  /// How many sheets there are before a batch delete.
  public static let filledCount = 100

  /// How many lines a batch inserts.
  public static let importedCount = 10_000

  /// Inserts the sheet of a sequence, its lines and its marks.
  public static func fill(_ sequence: Int, in context: ManagedObjectContext) {
    let sheet = Sheet(context: context)
    sheet.sequence = sequence
    let marks = (0..<markCount).map { _ in
      let mark = Mark(context: context)
      mark.sequence = sequence
      mark.sheet = sheet
      return mark
    }
    for index in 0..<lineCount {
      let line = Line(context: context)
      line.sequence = sequence
      line.text = text(sequence, index)
      line.sheet = sheet
      for mark in marks { line.marks.insert(mark) }
    }
  }
}
