// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// A terminal browser of a live list, and a program that changes its store from another process.

import PackageDescription

let dependencies: [Target.Dependency] = ["Geonames", .product(name: "Strata", package: "strata")]
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "TownWatch",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../../.."),
    .package(path: "../Geonames"),
  ],
  targets: [
    .executableTarget(name: "TownWatch", dependencies: dependencies, swiftSettings: settings),
    .executableTarget(name: "TownEdit", dependencies: dependencies, swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
