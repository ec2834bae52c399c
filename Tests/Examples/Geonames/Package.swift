// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// The model of the GeoNames sample and its import, for all examples.

import PackageDescription

let package = Package(
  name: "Geonames",
  platforms: [.macOS(.v15)],
  products: [.library(name: "Geonames", targets: ["Geonames"])],
  dependencies: [.package(name: "strata", path: "../../..")],
  targets: [
    .target(
      name: "Geonames", dependencies: [.product(name: "Strata", package: "strata")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
