// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Whether the system grants this process what a test with many stores needs: a test is left out
/// where it does not, as under `ulimit -n 256`.
public enum ProcessRoom {
  /// Whether the process may open four files for each of `count` stores, and some besides. Raises
  /// the limit, if the process may do that.
  public static func hasFiles(forStores count: Int) -> Bool {
    let wanted = rlim_t(4 * count + 1_000)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
    if limit.rlim_cur >= wanted { return true }
    limit.rlim_cur = min(limit.rlim_max, wanted)
    return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      && limit.rlim_cur >= wanted
  }

  /// Whether the process may have addresses for the maps of `count` stores, and some besides.
  ///
  /// - Parameter mapByteCount: the size of a map; 64 MiB, if it is that of tests.
  public static func hasAddresses(forStores count: Int, mapByteCount: Int = 1 << 26) -> Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return false }
    return limit.rlim_cur >= rlim_t(count + 1_000) * rlim_t(mapByteCount)
  }

  /// How many files the process has open.
  public static var openFileCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  /// How many threads the process has; 0 where the system does not say.
  public static var threadCount: Int { statusNumber("Threads:") }

  /// How many bytes of addresses the process uses; 0 where the system does not say.
  public static var addressByteCount: Int { statusNumber("VmSize:") << 10 }

  private static func statusNumber(_ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
