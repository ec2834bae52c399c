// SPDX-License-Identifier: Apache-2.0
// Both bring the POSIX thread types; the compiler counts them to the one that it has read first.
import CStrata
import CStrataLMDB
import StrataPrimitives

/// Threads of this layer's own. Swift's executors move between threads, and may be taken up by
/// savers that wait.
enum SystemThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that runs `body` and then ends.
  ///
  /// - Throws: `io(EAGAIN)` when the system gives no more threads.
  static func start(
    stackByteCount: Int, _ body: @escaping @Sendable () -> Void
  ) throws(LMDBError) {
    let context = Unmanaged.passRetained(Body(body))
    let code = start(stackByteCount, context.toOpaque())
    if code != 0 {
      context.release()
      throw LMDBError(code: code)
    }
  }

  private static func start(_ stackByteCount: Int, _ context: UnsafeMutableRawPointer) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackByteCount)
    // `Self.main` in these closures crashes the 6.3.1 compiler.
    #if canImport(Darwin)
      var thread: pthread_t?
      return pthread_create(&thread, &attributes, { SystemThread.main($0) }, context)
    #else
      var thread = pthread_t()
      return pthread_create(&thread, &attributes, { SystemThread.main($0!) }, context)
    #endif
  }

  private static func main(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
}
