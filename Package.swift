// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// The architecture in code: targets stand bottom-up, and arrows go down only. Each target's
// dependencies are exactly the imports that it may have; .ci/run holds the sources against them.

import CompilerPluginSupport
import Foundation
import PackageDescription

// MARK: - swift-syntax, or the toolchain's copy of it

/// `STRATA_TOOLCHAIN_SWIFTSYNTAX=1` (look for swiftc on PATH) or `=<toolchain>/usr/lib/swift/host`
/// builds the macros against the SwiftSyntax libraries that the toolchain ships, in seconds instead
/// of minutes. It is for work on Strata itself, with a `--scratch-path` of its own; users never
/// need it.
func toolchainSwiftSyntax() -> String? {
  guard let value = Context.environment["STRATA_TOOLCHAIN_SWIFTSYNTAX"], !value.isEmpty,
    value != "0"
  else { return nil }
  if value.hasPrefix("/") { return value }
  for directory in (Context.environment["PATH"] ?? "").split(separator: ":") {
    let swiftc = URL(fileURLWithPath: "\(directory)/swiftc").resolvingSymlinksInPath()
    let host =
      swiftc.deletingLastPathComponent().deletingLastPathComponent().path + "/lib/swift/host"
    if FileManager.default.fileExists(atPath: host + "/libSwiftSyntaxMacros.so") { return host }
  }
  fatalError("STRATA_TOOLCHAIN_SWIFTSYNTAX is set, but no swiftc on PATH has SwiftSyntax libraries")
}

let host = toolchainSwiftSyntax()
let syntaxLibraries = [
  "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxBuilder", "SwiftDiagnostics", "SwiftParser",
  "SwiftSyntaxMacroExpansion", "SwiftCompilerPluginMessageHandling", "SwiftOperators",
  "SwiftBasicFormat", "SwiftParserDiagnostics",
]

func syntax(_ names: String...) -> [Target.Dependency] {
  guard host == nil else { return [] }
  return names.map {
    .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"]))
  }
}

// MARK: - Observability

/// A product that a target uses with the trait `Observability` alone.
func observed(_ name: String, in package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Observability"]))
}

// MARK: - Settings

/// `STRATA_CHECKS=1` compiles the checks of stated invariants (`CheckedInvariants`) into every mutation.
let runsChecks = !["", "0"].contains(Context.environment["STRATA_CHECKS"] ?? "")
let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ] + (runsChecks ? [.define("STRATA_CHECKS")] : [])

/// A program is developed in debug builds, and does as much work with its store there. So Strata is
/// optimized in them, too, as a database in C would be; without, it is 5 to 20 times as slow.
///
/// The trait that takes it back is off by default. SwiftPM 6.3 writes the enabled traits of a package
/// in the order of a `Set`, as `-D` flags. With two default traits, the order of the flags would
/// change at random, and Strata would be compiled again.
let debugBuilds = BuildSettingCondition.when(platforms: [.linux], configuration: .debug)
let steppedBuilds = BuildSettingCondition.when(
  platforms: [.linux], configuration: .debug, traits: ["UnoptimizedDebug"])
let optimized: [SwiftSetting] = [
  // With threads, each file has an object of its own, as the index of a debug build expects.
  .unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"], debugBuilds),
  // The last of two flags counts.
  .unsafeFlags(["-Onone", "-no-whole-module-optimization", "-num-threads", "0"], steppedBuilds),
]
let optimizedC: [CSetting] = [
  .unsafeFlags(["-O2"], debugBuilds), .unsafeFlags(["-O0"], steppedBuilds),
]

let macroSettings: [SwiftSetting] =
  settings
  + (host.map { [.define("TOOLCHAIN_SWIFTSYNTAX"), .unsafeFlags(["-I", $0])] } ?? [])
let macroLinking: [LinkerSetting] =
  host.map { host in
    [
      .unsafeFlags(
        ["-L", host, "-Xlinker", "-rpath", "-Xlinker", host] + syntaxLibraries.map { "-l" + $0 })
    ]
  } ?? []

/// A layer and its tests, which may look at what is further down.
///
/// - Parameter macros: what the layer needs at compile time alone.
func layer(
  _ name: String, _ dependencies: Target.Dependency..., macros: [Target.Dependency] = [],
  tests: [Target.Dependency] = []
) -> [Target] {
  [
    .target(name: name, dependencies: dependencies + macros, swiftSettings: settings + optimized),
    .testTarget(
      name: name + "Tests",
      dependencies: dependencies + tests + [.target(name: name), "StrataTestSupport"],
      swiftSettings: settings),
  ]
}

/// SwiftPM links the tests of a package into one program. If the target of one test depends on a
/// macro, it builds that program for the machine that compiles, with modules of its own: all of
/// Strata would be compiled once for the tests, and once more for the programs that they start.
let macroTests = "StrataMacrosTests"

// MARK: - The package

let package = Package(
  name: "strata",
  // No promise: `Synchronization.Mutex` needs this macOS. Docs/Platforms.md has what was built.
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Strata", targets: ["Strata"]),
    .library(name: "StrataTesting", targets: ["StrataTesting"]),
    .library(name: "StrataObservability", targets: ["StrataObservability"]),
    .executable(name: "quickstart", targets: ["quickstart"]),
    .executable(name: "strata", targets: ["StrataTool"]),
  ],
  traits: [
    .trait(
      name: "CustomDump",
      description: """
        Objects and values in the dumps and differences of swift-custom-dump, for tests with \
        StrataTesting. It needs swift-custom-dump
        """),
    .trait(
      name: "Macros",
      description: "@Entity, @Attribute and @Relationship; they need swift-syntax at build time"),
    .trait(
      name: "Observability",
      description: """
        Metrics, traces and logs of stores in the module StrataObservability, which needs \
        swift-log, swift-metrics and swift-distributed-tracing
        """),
    .trait(
      name: "Tool", description: "The command-line tool strata, which needs swift-argument-parser"),
    .trait(
      name: "UnoptimizedDebug",
      description: """
        Leaves Strata unoptimized in debug builds, so that a debugger can step through it. Strata \
        is built in less time, and is 5 to 20 times as slow
        """),
    // One at most: see `debugBuilds`.
    .default(enabledTraits: ["Macros"]),
  ],
  // A program that uses the library resolves those that its traits ask for: the first, if any.
  dependencies: (host != nil
    ? [] : [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")])
    + [
      .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
      .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
      .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
      .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
      .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
  targets: [
    // The system's liblmdb. No code.
    .systemLibrary(
      name: "CStrataLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    // The little C that Swift cannot say.
    .target(name: "CStrata", cSettings: optimizedC),
    // LMDB's calls, which return an error where LMDB would end the process.
    .target(name: "CGuardedLMDB", dependencies: ["CStrataLMDB"], cSettings: optimizedC),
    .testTarget(name: "CStrataTests", dependencies: ["CStrata"], swiftSettings: settings),
  ]
    // What all layers stand on: locks, the order of keys, references.
    + layer("StrataPrimitives")
    // Thin, safe LMDB: bytes in, bytes out.
    + layer("StrataLMDB", "CStrata", "CStrataLMDB", "CGuardedLMDB", "StrataPrimitives")
    // What may exist.
    + layer("StrataModel", "StrataPrimitives")
    // How it is written.
    + layer("StrataRecord", "CStrata", "StrataPrimitives", "StrataModel")
    // What differs.
    + layer(
      "StrataChanges", "StrataPrimitives", "StrataModel", "StrataRecord", tests: ["PendingModel"])
    // What is asked.
    + layer(
      "StrataQuery", "CStrata", "StrataPrimitives", "StrataModel", "StrataRecord", "StrataChanges")
    // Where it lives.
    + layer(
      "StrataStore", "CStrata", "StrataPrimitives", "StrataModel", "StrataRecord", "StrataChanges",
      "StrataLMDB")
    // What you hold.
    + layer(
      "Strata", "CStrata", "StrataPrimitives", "StrataModel", "StrataRecord", "StrataChanges",
      "StrataQuery", "StrataStore",
      macros: [.target(name: "StrataMacros", condition: .when(traits: ["Macros"]))],
      tests: ["StrataLMDB", "ContextTestSupport", "RenamingModel", "StrataTesting"])
    + [
      // @Entity, @Attribute, @Relationship: compile-time only.
      .macro(
        name: "StrataMacros",
        dependencies: syntax(
          "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics",
          "SwiftCompilerPlugin"),
        swiftSettings: macroSettings, linkerSettings: macroLinking),
      // Only in builds that name it: `macroTests`.
      .testTarget(
        name: macroTests,
        dependencies: [.target(name: "StrataMacros", condition: .when(traits: ["Macros"]))]
          + syntax(
            "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxMacroExpansion", "SwiftDiagnostics",
            "SwiftParser"),
        swiftSettings: macroSettings, linkerSettings: macroLinking),
      // What StrataLMDB costs beside C (Tests/LMDBCost/check.sh).
      .target(name: "LMDBCostC", dependencies: ["CStrataLMDB"], path: "Tests/LMDBCostC"),
      .executableTarget(
        name: "LMDBCost", dependencies: ["LMDBCostC", "CStrataLMDB", "StrataLMDB"],
        path: "Tests/LMDBCost", exclude: ["check.sh"], swiftSettings: settings),
      // What a walk over a million objects costs in memory (Tests/MemoryWalk/check.sh).
      .executableTarget(
        name: "MemoryWalk", dependencies: ["Strata"], path: "Tests/MemoryWalk",
        exclude: ["check.sh"], swiftSettings: settings),
      // How long a large store takes to open with a changed model.
      .executableTarget(
        name: "EvolutionCost", dependencies: ["Strata"], path: "Tests/EvolutionCost",
        swiftSettings: settings),
      // What the hot paths cost in instructions, held against a record (Tests/HotPaths/check.sh).
      .executableTarget(
        name: "HotPaths", dependencies: ["Strata"], path: "Tests/HotPaths",
        exclude: ["check.sh", "counting.sh", "growth.sh", "instructions.txt"],
        swiftSettings: settings),
      // All operations in turn, for long, or one of them under callgrind (Tests/HotPaths/growth.sh):
      // nothing gets slower or larger.
      .target(name: "SoakC", path: "Tests/SoakC"),
      .executableTarget(
        name: "Soak", dependencies: ["Strata", "SoakC"], path: "Tests/Soak", swiftSettings: settings
      ),
      // What instruments are told, as metrics, spans and log lines.
      .target(
        name: "StrataObservability",
        dependencies: [
          "StrataPrimitives", "StrataModel", "StrataStore", observed("Logging", in: "swift-log"),
          observed("Metrics", in: "swift-metrics"),
          observed("Tracing", in: "swift-distributed-tracing"),
        ],
        swiftSettings: settings),
      .testTarget(
        name: "ObservabilityTests",
        dependencies: [
          "Strata", "StrataObservability", "StrataStore", "StrataTestSupport",
          observed("Logging", in: "swift-log"), observed("InMemoryLogging", in: "swift-log"),
          observed("Metrics", in: "swift-metrics"),
          observed("MetricsTestKit", in: "swift-metrics"),
          observed("Tracing", in: "swift-distributed-tracing"),
          observed("InMemoryTracing", in: "swift-distributed-tracing"),
        ],
        swiftSettings: settings),
      // All of a store as lines of JSON, and a store made of them.
      .target(
        name: "StrataDump",
        dependencies: [
          "Strata", "StrataStore", "StrataChanges", "StrataRecord", "StrataModel",
          "StrataPrimitives",
        ],
        swiftSettings: settings),
      // For the tests of programs: containers in memory, fixtures, expected changes, kept stores.
      .target(
        name: "StrataTesting",
        dependencies: [
          "Strata", "StrataDump", "StrataPrimitives", "StrataModel", "StrataRecord",
          "StrataChanges", "StrataQuery", "StrataStore",
          .product(
            name: "CustomDump", package: "swift-custom-dump",
            condition: .when(traits: ["CustomDump"])),
        ],
        swiftSettings: settings),
      .testTarget(
        name: "StrataTestingTests",
        dependencies: [
          "StrataTesting", "Strata", "StrataTestSupport",
          .product(
            name: "CustomDump", package: "swift-custom-dump",
            condition: .when(traits: ["CustomDump"])),
        ],
        swiftSettings: settings),
      // The command-line tool: every store, opened with the model inside.
      .executableTarget(
        name: "StrataTool",
        dependencies: [
          "Strata", "StrataDump", "StrataStore", "StrataModel", "StrataPrimitives",
          .product(
            name: "ArgumentParser", package: "swift-argument-parser",
            condition: .when(traits: ["Tool"])),
        ],
        swiftSettings: settings),
      // The built tool as a process, on real stores.
      .testTarget(
        name: "StrataToolTests",
        dependencies: [
          "Strata", "StrataTool", "CrashLedger", "CrashWriter", "RenamingModel",
          "StrataTestSupport",
        ],
        swiftSettings: settings),
      // The README's first command: a real import, readable as an example.
      .executableTarget(
        name: "quickstart", dependencies: ["Strata"], resources: [.copy("Resources/geonames")],
        swiftSettings: settings),
      .testTarget(
        name: "QuickstartTests", dependencies: ["quickstart", "StrataTestSupport"],
        swiftSettings: settings),
      // Programs that must not compile, Tests/CompileFailures, and what the compiler says of them.
      .testTarget(
        name: "CompileFailureTests", dependencies: ["Strata", "StrataTesting"],
        swiftSettings: settings),
      // A process that saves until it is killed, and what the store is like afterwards.
      .executableTarget(
        name: "CrashWriter", dependencies: ["Strata", "CrashLedger", "CrashPoints"],
        path: "Tests/CrashWriter", swiftSettings: settings),
      // Numbers for the calls by which a process changes files.
      .target(name: "CrashPoints", path: "Tests/CrashPoints"),
      .target(
        name: "CrashLedger", dependencies: ["Strata"], path: "Tests/CrashLedger",
        swiftSettings: settings),
      .testTarget(
        name: "CrashTests",
        dependencies: [
          "Strata", "StrataPrimitives", "CrashLedger", "CrashWriter", "StrataTestSupport",
        ],
        swiftSettings: settings),
      // Processes that save to one store and follow each other's saves.
      .executableTarget(
        name: "SharingProcess", dependencies: ["Strata", "CrashLedger"],
        path: "Tests/SharingProcess", swiftSettings: settings),
      .testTarget(
        name: "SharingTests",
        dependencies: ["Strata", "CrashLedger", "SharingProcess", "StrataTestSupport"],
        swiftSettings: settings),
      // What threads and processes read and save, recorded and held against the promise.
      .target(
        name: "IsolationHistory",
        dependencies: ["Strata", "StrataChanges", "StrataStore", "StrataTestSupport"],
        path: "Tests/IsolationHistory", swiftSettings: settings),
      .executableTarget(
        name: "IsolationProcess", dependencies: ["IsolationHistory"],
        path: "Tests/IsolationProcess", swiftSettings: settings),
      .testTarget(
        name: "IsolationTests",
        dependencies: [
          "Strata", "StrataChanges", "StrataTestSupport", "IsolationHistory", "IsolationProcess",
        ],
        swiftSettings: settings),
      // Damaged files, each read and changed by a process of its own.
      .executableTarget(
        name: "DamageWalk",
        dependencies: ["Strata", "StrataLMDB", "Gazetteer", "StrataTestSupport"],
        path: "Tests/DamageWalk", swiftSettings: settings),
      // The content of stores that are damaged.
      .target(
        name: "Gazetteer", dependencies: ["Strata"], path: "Tests/Gazetteer",
        swiftSettings: settings),
      // Random pending changes, and what they are in dictionaries.
      .target(
        name: "PendingModel", dependencies: ["StrataModel", "StrataRecord", "StrataChanges"],
        path: "Tests/PendingModel", swiftSettings: settings),
      // Random models whose names move, and where their data must be, for tests and the fuzzer.
      .target(
        name: "RenamingModel", dependencies: ["Strata", "StrataModel"], path: "Tests/RenamingModel",
        swiftSettings: settings),
      // Stores that earlier versions of Strata have made.
      .testTarget(
        name: "GoldenStoreTests",
        dependencies: ["Strata", "GoldenModels", "GoldenMigration", "StrataTestSupport"],
        path: "Tests/GoldenStores", exclude: ["README.md"], resources: [.copy("Stores")],
        swiftSettings: settings),
      // Two versions of the quickstart's model, and the migration of its store, which is killed.
      .target(
        name: "GoldenModels", dependencies: ["Strata"], path: "Tests/GoldenModels",
        swiftSettings: settings),
      .executableTarget(
        name: "GoldenMigration", dependencies: ["Strata", "GoldenModels", "StrataTestSupport"],
        path: "Tests/GoldenMigration", exclude: ["check.sh", "cities.py"],
        swiftSettings: settings),
      // Random work and random bytes against naive models.
      .executableTarget(
        name: "fuzz",
        dependencies: [
          "CStrata", "Gazetteer", "PendingModel", "RenamingModel", "Strata", "StrataChanges",
          "StrataDump", "StrataLMDB", "StrataModel", "StrataQuery", "StrataRecord", "StrataStore",
          "StrataTestSupport",
        ],
        path: "Fuzz/Driver", swiftSettings: settings),
      // What tests share: temporary folders, seeded random numbers, and the harness of random work.
      .target(
        name: "StrataTestSupport", dependencies: ["TestProcess", "VisibleMutex"],
        path: "Tests/StrataTestSupport", swiftSettings: settings),
      .testTarget(
        name: "StrataTestSupportTests", dependencies: ["StrataTestSupport"], swiftSettings: settings
      ),
      // What is promised of nested contexts, written from the documents alone, and random work held
      // against it: in tests, and as a program of its own, which builds in a fraction of their time.
      .target(
        name: "NestingOracle", dependencies: ["Strata", "StrataChanges", "StrataTestSupport"],
        path: "Tests/NestingOracle", swiftSettings: settings),
      .executableTarget(
        name: "nesting", dependencies: ["NestingOracle"], path: "Tests/NestingWalk",
        swiftSettings: settings),
      .testTarget(
        name: "NestingOracleTests",
        dependencies: ["NestingOracle", "StrataChanges", "StrataTestSupport"],
        swiftSettings: settings),
      // The programs of the guides in Strata.docc/Guides, word for word.
      .testTarget(
        name: "GuideTests", dependencies: ["Strata", "StrataTestSupport"],
        exclude: ["follow-tutorial.sh", "newcomer.sh"], swiftSettings: settings),
      // Fetched lists, by themselves for the builds with STRATA_CHECKS.
      .testTarget(
        name: "FetchedResultsTests",
        dependencies: [
          "Strata", "StrataChanges", "StrataModel", "StrataPrimitives", "ContextTestSupport",
          "StrataTestSupport",
        ],
        swiftSettings: settings),
      // Searches for words in texts, by themselves because they build soon.
      .testTarget(
        name: "FullTextTests",
        dependencies: [
          "Strata", "StrataChanges", "StrataLMDB", "StrataModel", "StrataRecord", "StrataStore",
          "StrataTestSupport",
        ],
        swiftSettings: settings),
      // Many tasks over many contexts, by themselves for the thread sanitizer.
      .testTarget(
        name: "StressTests", dependencies: ["Strata", "StrataStore", "StrataTestSupport"],
        swiftSettings: settings),
      // What the tests of contexts share: logs of messages, planted faults.
      .target(
        name: "ContextTestSupport", dependencies: ["Strata", "StrataChanges"],
        path: "Tests/ContextTestSupport", swiftSettings: settings),
      // Settings of a process that runs tests.
      .target(name: "TestProcess", path: "Tests/TestProcess"),
      // Lets the thread sanitizer see into Synchronization.Mutex; nothing in other builds.
      .target(name: "VisibleMutex", path: "Tests/VisibleMutex"),
    ],
  swiftLanguageModes: [.v6]
)

// MARK: - Documentation

/// `STRATA_DOCUMENTATION=1` adds the plugin that makes the documentation, for .ci/documentation.
/// Without a condition, each program that uses Strata would fetch it.
if !["", "0"].contains(Context.environment["STRATA_DOCUMENTATION"] ?? "") {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// MARK: - A part of the package

/// Reduces the package to the named targets and the targets that they depend on.
func reduce(_ package: Package, to names: [String]) {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var kept: Set<String> = []
  var open = names
  while let name = open.popLast() {
    guard let target = targets[name] else { fatalError("STRATA_PART: no target is named \(name)") }
    guard kept.insert(name).inserted else { continue }
    for case .targetItem(let name, _) in target.dependencies { open.append(name) }
    for case .byNameItem(let name, _) in target.dependencies { open.append(name) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { product in
    let program = (product as? Product.Executable)?.targets
    return !(program ?? (product as? Product.Library)?.targets ?? []).allSatisfy(kept.contains)
  }
}

/// `STRATA_PART="fuzz StressTests"` builds these targets and no others, in less time. It is for work
/// on Strata itself, with a `--scratch-path` of its own.
let part = (Context.environment["STRATA_PART"] ?? "").split(separator: " ").map(String.init)
reduce(package, to: part.isEmpty ? package.targets.map(\.name).filter { $0 != macroTests } : part)
