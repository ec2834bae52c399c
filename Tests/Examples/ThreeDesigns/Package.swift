// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// The three classic designs of contexts, with the same import in each.

import PackageDescription

let package = Package(
  name: "ThreeDesigns",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../../.."),
    .package(path: "../Geonames"),
  ],
  targets: [
    .executableTarget(
      name: "ThreeDesigns",
      dependencies: ["Geonames", .product(name: "Strata", package: "strata")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
