// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A folder of one test's own, removed with everything in it when the test lets it go.
public final class TemporaryDirectory: Sendable {
  public let url: URL

  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-tests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The place of a file or store called `name` in the folder.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
