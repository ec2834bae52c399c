// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Whether the system grants this process what a test with many stores needs: a test is left out
/// where it does not, as under `ulimit -n 256`.
public enum ProcessRoom {
  /// Whether the process may open three files for each of `count` stores, and some besides. Raises
  /// the limit, if the process may do that.
  public static func hasFiles(forStores count: Int) -> Bool {
    let wanted = rlim_t(3 * count + 1_000)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
    if limit.rlim_cur >= wanted { return true }
    limit.rlim_cur = min(limit.rlim_max, wanted)
    return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      && limit.rlim_cur >= wanted
  }

  /// Whether the process may have 64 MiB of addresses for each of `count` stores, and some besides.
  public static func hasAddresses(forStores count: Int) -> Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return false }
    return limit.rlim_cur >= rlim_t(count + 1_000) << 26
  }
}
