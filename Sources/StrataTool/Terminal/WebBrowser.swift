// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The user's web browser, in a process of its own.
enum WebBrowser {
  /// Opens an address, if the system has a program for that.
  static func open(_ address: String) {
    #if canImport(Darwin)
      let program = "open"
      var attributes: posix_spawnattr_t?
    #else
      let program = "xdg-open"
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The signals that this process waits for end the browser as usual.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in Interruption.signals { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // In a process group of its own, Control-C in the terminal does not end it.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var arguments = [strdup(program), strdup(address), nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    if posix_spawnp(&process, program, nil, &attributes, &arguments, environ) != 0 {
      StandardError.write(
        "There is no program \(program) that opens the address: open it yourself.")
    }
  }
}
