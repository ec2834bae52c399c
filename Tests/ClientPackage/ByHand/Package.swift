// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// The same program without macros, and so without swift-syntax.

import PackageDescription

let package = Package(
  name: "ByHand",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "strata", path: "../../..", traits: [])],
  targets: [
    .executableTarget(name: "ByHand", dependencies: [.product(name: "Strata", package: "strata")])
  ],
  swiftLanguageModes: [.v6]
)
