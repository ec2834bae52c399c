// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import Strata

/// Compares the whole store with the one state that it may have after its latest save.
///
/// - Returns: the sequence of the latest save, and the errors, in words.
func audit(_ container: PersistentContainer) throws -> (latest: Int, problems: [String]) {
  try container.root.performAndWait { context in
    var problems: [String] = []
    func expect(_ holds: Bool, _ problem: @autoclosure () -> String) {
      if !holds { problems.append(problem()) }
    }
    let progress = try context.fetch(Progress.all)
    expect(progress.count <= 1, "\(progress.count) progresses")
    let latest = progress.first?.latest ?? 0
    let oldest = max(1, latest - Ledger.kept + 1)
    let expected = latest == 0 ? [] : Array(oldest...latest)

    let sheets = try context.fetch(Sheet.all)
    expect(sheets.map(\.sequence).sorted() == expected, "sheets \(sheets.map(\.sequence))")
    let lines = Dictionary(grouping: try context.fetch(Line.all), by: \.sequence)
    expect(lines.keys.sorted() == expected, "lines of \(lines.keys.sorted())")
    let marks = Dictionary(grouping: try context.fetch(Mark.all), by: \.sequence)
    expect(marks.keys.sorted() == expected, "marks of \(marks.keys.sorted())")

    for sheet in sheets {
      let sequence = sheet.sequence
      let itsLines = Set(lines[sequence] ?? [])
      let itsMarks = Set(marks[sequence] ?? [])
      let texts = (0..<Ledger.lineCount).map { Ledger.text(sequence, $0) }
      expect(itsLines.map(\.text).sorted() == texts, "\(sequence): \(itsLines.map(\.text))")
      expect(itsMarks.count == Ledger.markCount, "\(sequence): \(itsMarks.count) marks")
      expect(Set(sheet.lines) == itsLines, "\(sequence): a sheet and its lines")
      expect(Set(sheet.marks) == itsMarks, "\(sequence): a sheet and its marks")
      for line in itsLines {
        expect(line.sheet === sheet, "\(sequence): a line and its sheet")
        expect(Set(line.marks) == itsMarks, "\(sequence): a line and its marks")
        let found = try context.fetch(Line.where { [text = line.text] in $0.text == text })
        expect(found == [line], "\(sequence): a line by its text")
      }
      for mark in itsMarks {
        expect(mark.sheet === sheet, "\(sequence): a mark and its sheet")
        expect(Set(mark.lines) == itsLines, "\(sequence): a mark and its lines")
      }
    }

    // Neighbours on both sides: removed sequences, and sequences that were never there.
    for sequence in (oldest - 2)...(latest + 2) {
      let sheet = try context.fetch(Sheet.where { $0.sequence == sequence })
      expect(sheet == sheets.filter { $0.sequence == sequence }, "\(sequence): sheets by index")
      let found = try context.fetch(Line.where { $0.sequence == sequence })
      expect(Set(found) == Set(lines[sequence] ?? []), "\(sequence): lines by index")
      let marked = try context.fetch(Mark.where { $0.sequence == sequence })
      expect(Set(marked) == Set(marks[sequence] ?? []), "\(sequence): marks by index")
    }
    let walked = try context.fetch(Line.all.sorted(by: \.sequence)).map(\.sequence)
    expect(walked == lines.values.joined().map(\.sequence).sorted(), "the index of lines")
    let count = try context.count(Mark.where { $0.sequence > 0 })
    expect(count == expected.count * Ledger.markCount, "\(count) marks by index")
    return (latest, problems)
  }
}

/// Compares all lines and marks with the existing sheets.
///
/// - Returns: the sequences of the sheets, and the errors, in words.
func auditBatches(
  _ container: PersistentContainer
) throws -> (sequences: [Int], problems: [String]) {
  try container.root.performAndWait { context in
    var problems: [String] = []
    func expect(_ holds: Bool, _ problem: @autoclosure () -> String) {
      if !holds { problems.append(problem()) }
    }
    let sheets = try context.fetch(Sheet.all)
    let sequences = sheets.map(\.sequence).sorted()
    let lines = Dictionary(grouping: try context.fetch(Line.all), by: \.sequence)
    let marks = Dictionary(grouping: try context.fetch(Mark.all), by: \.sequence)
    expect(lines.keys.sorted() == sequences, "lines of \(lines.keys.sorted())")
    expect(marks.keys.sorted() == sequences, "marks of \(marks.keys.sorted())")
    for sheet in sheets {
      let (itsLines, itsMarks) = (lines[sheet.sequence] ?? [], marks[sheet.sequence] ?? [])
      expect(itsLines.count == Ledger.lineCount, "\(sheet.sequence): \(itsLines.count) lines")
      expect(itsMarks.count == Ledger.markCount, "\(sheet.sequence): \(itsMarks.count) marks")
      expect(Set(sheet.lines) == Set(itsLines), "\(sheet.sequence): a sheet and its lines")
      expect(Set(sheet.marks) == Set(itsMarks), "\(sheet.sequence): a sheet and its marks")
      for line in itsLines {
        expect(Set(line.marks) == Set(itsMarks), "\(sheet.sequence): a line and its marks")
      }
      for mark in itsMarks {
        expect(Set(mark.lines) == Set(itsLines), "\(sheet.sequence): a mark and its lines")
      }
    }
    for sequence in 1...Ledger.filledCount {
      let count = sequences.contains(sequence) ? 1 : 0
      let found = try context.count(Sheet.where { $0.sequence == sequence })
      let itsLines = try context.count(Line.where { $0.sequence == sequence })
      let itsMarks = try context.count(Mark.where { $0.sequence == sequence })
      expect(found == count, "\(sequence): \(found) sheets by index")
      expect(itsLines == count * Ledger.lineCount, "\(sequence): \(itsLines) lines by index")
      expect(itsMarks == count * Ledger.markCount, "\(sequence): \(itsMarks) marks by index")
    }
    return (sequences, problems)
  }
}

/// Compares a store that was filled before it got its later model with what was there.
///
/// - Returns: the errors, in words.
func auditEvolved(_ container: PersistentContainer) throws -> [String] {
  typealias Row = LaterLedger.Row
  return try container.root.performAndWait { context in
    var problems: [String] = []
    func expect(_ holds: Bool, _ problem: @autoclosure () -> String) {
      if !holds { problems.append(problem()) }
    }
    let rows = Dictionary(grouping: try context.fetch(Row.all), by: \.sequence)
    let sheets = try context.fetch(LaterLedger.Sheet.all.sorted(by: \.sequence))
    expect(sheets.map(\.sequence) == Array(1...Ledger.filledCount), "\(sheets.count) sheets")
    for sheet in sheets {
      let itsRows = rows[sheet.sequence] ?? []
      let texts = (0..<Ledger.lineCount).map { Ledger.text(sheet.sequence, $0) }
      expect(Set(sheet.rows) == Set(itsRows), "\(sheet.sequence): a sheet and its rows")
      expect(itsRows.map(\.content).sorted() == texts, "\(sheet.sequence): \(itsRows.count) rows")
      expect(sheet.marks.count == Ledger.markCount, "\(sheet.sequence): its marks")
      for row in itsRows {
        expect(row.note == "none", "\(sheet.sequence): a note \(row.note)")
        expect(Set(row.marks) == Set(sheet.marks), "\(sheet.sequence): a row and its marks")
        let found = try context.fetch(Row.where { [text = row.content] in $0.content == text })
        expect(found == [row], "\(sheet.sequence): a row by its content")
      }
    }
    let count = try context.count(Row.where { $0.note == "none" })
    expect(count == Ledger.filledCount * Ledger.lineCount, "\(count) rows by their note")
    return problems
  }
}

/// The problems of a store that a stage has taken to the later model.
func auditMigrated(_ container: PersistentContainer) throws -> [String] {
  typealias Line = StagedLedger.Line
  return try container.root.performAndWait { context in
    var problems: [String] = []
    let sheets = try context.fetch(StagedLedger.Sheet.all.sorted(by: \.sequence))
    if sheets.map(\.sequence) != Array(1...Ledger.filledCount) {
      problems.append("\(sheets.count) sheets")
    }
    for sheet in sheets {
      let lines = try context.fetch(Line.where { [text = sheet.sequence] in $0.text == text })
      if Set(sheet.lines) != Set(lines) || sheet.lineCount != Ledger.lineCount
        || lines.map(\.index).sorted() != Array(0..<Ledger.lineCount)
        || lines.contains(where: { $0.marks.count != Ledger.markCount })
      {
        problems.append("\(sheet.sequence): \(lines.count) lines")
      }
    }
    let count = try context.count(
      StagedLedger.Sheet.where { $0.lineCount == Ledger.lineCount })
    if count != Ledger.filledCount { problems.append("\(count) sheets by their line count") }
    return problems
  }
}
