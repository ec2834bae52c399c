// SPDX-License-Identifier: Apache-2.0
//
// The cost of a lookup and a cursor step through StrataLMDB, and in C, on the same file. Run by
// check.sh under callgrind: `LMDBCost <file> <fill|c-get|swift-get|c-walk|swift-walk> <n>`.

import CStrataLMDB
import LMDBCostC
import StrataLMDB

let keyCount: UInt64 = 100_000
let treeName = "numbers"

/// 100,000 entries: the number, big-endian, and 120 bytes that begin with it.
func fill(_ path: String) throws {
  var options = EnvironmentOptions()
  options.createIfMissing = true
  options.byteCountMax = 1 << 30
  try Environment.open(at: path, options: options).writeSync { transaction in
    let tree = try transaction.makeTree(named: treeName)
    var cursor = try transaction.writeCursor(in: tree)
    for number in 0..<keyCount {
      try withUnsafeBytes(of: number.bigEndian) { key in
        try cursor.put(key, byteCount: 120) { value in
          value.initializeMemory(as: UInt8.self, repeating: 0)
          value.storeBytes(of: number, as: UInt64.self)
        }
      }
    }
  }
}

@inline(never)
func swiftGet(_ transaction: ReadTransaction, _ tree: Tree, count: UInt64) throws -> UInt64 {
  var random: UInt64 = 88_172_645_463_325_252
  var sum: UInt64 = 0
  for _ in 0..<count {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    try withUnsafeBytes(of: (random % keyCount).bigEndian) { key throws(LMDBError) in
      if let value = try transaction.get(key, in: tree) {
        sum &+= value.loadUnaligned(as: UInt64.self) &+ UInt64(value.count)
      }
    }
  }
  return sum
}

@inline(never)
func swiftWalk(_ transaction: ReadTransaction, _ tree: Tree, rounds: UInt64) throws -> UInt64 {
  var sum: UInt64 = 0
  var cursor = try transaction.cursor(in: tree)
  for _ in 0..<rounds {
    var isOnEntry = try cursor.first()
    while isOnEntry {
      sum &+= cursor.value.loadUnaligned(as: UInt64.self) &+ UInt64(cursor.key.count)
      isOnEntry = try cursor.next()
    }
  }
  return sum
}

/// The same file through C alone.
func withC(_ path: String, _ body: (OpaquePointer, MDB_dbi) -> UInt64) -> UInt64 {
  var environment: OpaquePointer?
  var transaction: OpaquePointer?
  var tree: MDB_dbi = 0
  mdb_env_create(&environment)
  mdb_env_set_maxdbs(environment, 128)
  mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_NOTLS), 0o644)
  mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
  mdb_dbi_open(transaction, treeName, 0, &tree)
  defer { mdb_env_close(environment) }
  defer { mdb_txn_abort(transaction) }
  return body(transaction!, tree)
}

/// The same file through StrataLMDB, as one that was checked: the layers above read an unchecked
/// file by `RecordTree` and `EntryCursor`, and not by these calls.
func withSwift(
  _ path: String, _ body: (ReadTransaction, Tree) throws -> UInt64
) throws -> UInt64 {
  var options = EnvironmentOptions()
  options.byteCountMax = 1 << 30
  options.isTrusted = true
  let environment = try Environment.open(at: path, options: options)
  guard let tree = try environment.tree(named: treeName) else { throw LMDBError.badTree }
  return try body(try environment.read(), tree)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = UInt64(arguments[3]) else {
  fatalError("usage: LMDBCost <file> <fill|c-get|swift-get|c-walk|swift-walk> <count>")
}
let path = arguments[1]
switch arguments[2] {
case "fill": try fill(path)
case "c-get": print(withC(path) { strata_cost_get($0, $1, count, keyCount) })
case "swift-get": print(try withSwift(path) { try swiftGet($0, $1, count: count) })
case "c-walk": print(withC(path) { strata_cost_walk($0, $1, count) })
case "swift-walk": print(try withSwift(path) { try swiftWalk($0, $1, rounds: count) })
default: fatalError("unknown mode \(arguments[2])")
}
