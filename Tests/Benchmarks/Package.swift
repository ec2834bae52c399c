// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// How fast Strata is, beside raw LMDB, raw SQLite and GRDB, in one run. A package of its own, so
// that users of Strata never resolve the others. Docs/Benchmarks.md says how to run it.

import Foundation
import PackageDescription

// MARK: - Targets

/// SQLite and GRDB need the system's sqlite3.h; where it is missing they are left out, and the
/// program says so. Apple's systems have it.
let hasSQLite: Bool = {
  #if os(Linux)
    return ["/usr/include", "/usr/local/include"].contains {
      FileManager.default.fileExists(atPath: $0 + "/sqlite3.h")
    }
  #else
    return true
  #endif
}()

// MARK: - Settings

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// MARK: - Targets

let sqliteTargets: [Target] = [
  .systemLibrary(
    name: "CSQLite", pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  // Raw SQLite.
  .target(name: "CSQLitePeer", dependencies: ["CPeople", "CSQLite"]),
  // Searches for words beside SQLite's FTS5.
  .executableTarget(
    name: "FullTextSearch",
    dependencies: ["CSQLite", .product(name: "Strata", package: "strata")],
    swiftSettings: settings),
]

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ]
    + (hasSQLite ? [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")] : []),
  targets: [
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    // The data, and the sums by which peers are compared.
    .target(name: "CPeople"),
    // Clocks and memory.
    .target(name: "CMeasure"),
    // Raw LMDB: the limit.
    .target(name: "CLMDBPeer", dependencies: ["CPeople", "CLMDB"]),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CPeople", "CMeasure", "CLMDBPeer", .product(name: "Strata", package: "strata"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ] + (hasSQLite ? ["CSQLitePeer", .product(name: "GRDB", package: "GRDB.swift")] : []),
      swiftSettings: settings + (hasSQLite ? [.define("HAS_SQLITE")] : [])),
    // How records and indexes are best laid out over trees (Docs/FileFormat.md).
    .executableTarget(name: "TreeShapes", dependencies: ["CLMDB"]),
  ] + (hasSQLite ? sqliteTargets : []),
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)
