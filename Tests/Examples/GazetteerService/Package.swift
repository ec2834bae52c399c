// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// An HTTP service over a store, and the client that checks it under load.

import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "GazetteerService",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../../.."),
    .package(path: "../Geonames"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .executableTarget(
      name: "GazetteerService",
      dependencies: [
        "Geonames",
        .product(name: "Strata", package: "strata"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // Checks the promises of the service without any of its code: it does not depend on it.
    .executableTarget(name: "GazetteerLoad", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
