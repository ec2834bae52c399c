// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// A client's program that uses Strata, the README's example, and its tests.

import PackageDescription

let package = Package(
  name: "Client",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(name: "Client", dependencies: [.product(name: "Strata", package: "strata")]),
    .testTarget(
      name: "ClientTests",
      dependencies: [
        .product(name: "Strata", package: "strata"),
        .product(name: "StrataTesting", package: "strata"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
