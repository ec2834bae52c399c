// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Foundation

/// The same documents in SQLite: a table of texts, and an FTS5 table over it (external content),
/// with the tokenizer `unicode61`, WAL and synchronous FULL.
final class SQLiteSearch {
  private var database: OpaquePointer?

  struct Failure: Error { let message: String }

  init(at url: URL) throws {
    try check(sqlite3_open(url.path, &database))
    try execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
      PRAGMA mmap_size = 1073741824;
      CREATE TABLE IF NOT EXISTS document (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
      CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
        text, content = document, content_rowid = id, tokenize = unicode61);
      """)
  }

  deinit { sqlite3_close(database) }

  /// Inserts all texts in one transaction.
  func insert(_ texts: [String]) throws -> Int {
    try execute("BEGIN")
    let insertion = try prepare("INSERT INTO document (id, text) VALUES (?1, ?2)")
    let indexing = try prepare("INSERT INTO words (rowid, text) VALUES (?1, ?2)")
    defer {
      sqlite3_finalize(insertion)
      sqlite3_finalize(indexing)
    }
    for (number, text) in texts.enumerated() {
      try text.withCString { text in
        for statement in [insertion, indexing] {
          sqlite3_bind_int64(statement, 1, Int64(number + 1))
          sqlite3_bind_text(statement, 2, text, -1, nil)
          guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
          sqlite3_reset(statement)
        }
      }
    }
    try execute("COMMIT")
    return texts.count
  }

  func find(_ words: String) throws -> Int {
    try read(
      "SELECT d.text FROM words JOIN document d ON d.id = words.rowid WHERE words MATCH ?1", words)
  }

  func count(_ words: String) throws -> Int {
    let statement = try prepare("SELECT count(*) FROM words WHERE words MATCH ?1")
    defer { sqlite3_finalize(statement) }
    sqlite3_bind_text(statement, 1, strdup(words), -1, free)
    guard sqlite3_step(statement) == SQLITE_ROW else { throw failure }
    return Int(sqlite3_column_int64(statement, 0))
  }

  func best(_ words: String, _ limit: Int) throws -> Int {
    try read(
      """
      SELECT d.text FROM words JOIN document d ON d.id = words.rowid WHERE words MATCH ?1
      ORDER BY rank LIMIT \(limit)
      """, words)
  }

  private func read(_ text: String, _ words: String) throws -> Int {
    let statement = try prepare(text)
    defer { sqlite3_finalize(statement) }
    sqlite3_bind_text(statement, 1, strdup(words), -1, free)
    var (count, byteCount) = (0, 0)
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        count += 1
        // Strata's rows are checked and decoded as well.
        byteCount += String(cString: sqlite3_column_text(statement, 0)).utf8.count
      case SQLITE_DONE: return byteCount > 0 ? count : 0
      default: throw failure
      }
    }
  }

  private func prepare(_ text: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(database, text, -1, &statement, nil))
    return statement
  }

  private func execute(_ text: String) throws {
    try check(sqlite3_exec(database, text, nil, nil, nil))
  }

  private func check(_ code: Int32) throws { if code != SQLITE_OK { throw failure } }

  private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(database))) }
}
