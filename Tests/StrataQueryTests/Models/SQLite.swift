// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The system's SQLite, loaded at run time: the built products do not depend on it.
///
/// The signatures are those of sqlite3.h.
final class SQLite {
  enum Parameter: Hashable {
    case null
    case int(Int64)
    case double(Double)
    case text(String)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private typealias Open =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>
    ) -> Int32
  private typealias Prepare =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
      UnsafeRawPointer?
    ) -> Int32
  private typealias BindNull = @convention(c) (OpaquePointer?, Int32) -> Int32
  private typealias BindInt = @convention(c) (OpaquePointer?, Int32, Int64) -> Int32
  private typealias BindDouble = @convention(c) (OpaquePointer?, Int32, Double) -> Int32
  private typealias BindText =
    @convention(c) (
      OpaquePointer?, Int32, UnsafePointer<UInt8>?, Int32, Int
    ) -> Int32
  private typealias OfHandle = @convention(c) (OpaquePointer?) -> Int32
  private typealias Message = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
  private typealias Column = @convention(c) (OpaquePointer?, Int32) -> Int64

  /// SQLITE_TRANSIENT: SQLite copies the text.
  private static let copies = -1
  /// SQLITE_ROW and SQLITE_DONE.
  private static let (row, done): (Int32, Int32) = (100, 101)

  // Safety: a handle of the loader, which is never closed.
  nonisolated(unsafe) private static let library: UnsafeMutableRawPointer? =
    dlopen("libsqlite3.so.0", RTLD_NOW) ?? dlopen("libsqlite3.dylib", RTLD_NOW)

  /// Whether to compare with it: it is there, or `STRATA_NEEDS_SQLITE` says that it must be.
  static var isWanted: Bool {
    library != nil || ProcessInfo.processInfo.environment["STRATA_NEEDS_SQLITE"] != nil
  }

  private let database: OpaquePointer?

  /// An empty database in memory.
  init() throws {
    var database: OpaquePointer?
    let result = try Self.function("sqlite3_open", Open.self)(":memory:", &database)
    guard result == 0 else { throw Failure(description: "sqlite3_open: \(result)") }
    self.database = database
  }

  deinit { _ = try? Self.function("sqlite3_close", OfHandle.self)(database) }

  private static func function<T>(_ name: String, _: T.Type) throws -> T {
    guard let symbol = dlsym(library, name) else { throw Failure(description: "no \(name)") }
    // Safety: the types are those that sqlite3.h declares.
    return unsafeBitCast(symbol, to: T.self)
  }

  private var message: String {
    let text = try? Self.function("sqlite3_errmsg", Message.self)(database)
    return text.map { String(cString: $0) } ?? "?"
  }

  /// Runs one statement.
  ///
  /// - Returns: the first column of each row.
  @discardableResult
  func run(_ sql: String, _ parameters: [Parameter] = []) throws -> [Int64] {
    var statement: OpaquePointer?
    let prepare = try Self.function("sqlite3_prepare_v2", Prepare.self)
    guard prepare(database, sql, -1, &statement, nil) == 0 else {
      throw Failure(description: "\(message): \(sql)")
    }
    defer { _ = try? Self.function("sqlite3_finalize", OfHandle.self)(statement) }
    for (index, parameter) in parameters.enumerated() {
      try bind(parameter, Int32(index + 1), of: statement)
    }
    let step = try Self.function("sqlite3_step", OfHandle.self)
    let column = try Self.function("sqlite3_column_int64", Column.self)
    var found: [Int64] = []
    while true {
      switch step(statement) {
      case Self.row: found.append(column(statement, 0))
      case Self.done: return found
      default: throw Failure(description: "\(message): \(sql)")
      }
    }
  }

  private func bind(
    _ parameter: Parameter, _ index: Int32, of statement: OpaquePointer?
  ) throws {
    let result: Int32
    switch parameter {
    case .null:
      result = try Self.function("sqlite3_bind_null", BindNull.self)(statement, index)
    case .int(let number):
      result = try Self.function("sqlite3_bind_int64", BindInt.self)(statement, index, number)
    case .double(let number):
      result = try Self.function("sqlite3_bind_double", BindDouble.self)(statement, index, number)
    case .text(let text):
      let bind = try Self.function("sqlite3_bind_text", BindText.self)
      // One more byte, so that there is an address for a text without any.
      let bytes = Array(text.utf8) + [0]
      result = bind(statement, index, bytes, Int32(bytes.count - 1), Self.copies)
    }
    guard result == 0 else { throw Failure(description: message) }
  }
}
