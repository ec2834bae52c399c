// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// Calls a function soon after a process has touched a lock file, by a thread that waits for
/// inotify. Nothing is polled, and no clock is asked. Elsewhere than on Linux there is no watch
/// yet: then a context notices the saves of other processes when it takes a view.
///
/// ## Lifetime
/// It watches until it is released. The thread ends then, after a call under way.
///
/// ## Isolation
/// Sendable. The function runs on the watch's thread.
package final class CommitWatch: Sendable {
  /// Written to, to end the thread.
  private let stopping: Int32

  /// - Returns: nil if the system has no watch or no thread left (fs.inotify.max_user_instances).
  init?(of file: LockFile, _ hear: @escaping @Sendable () -> Void) {
    #if os(Linux)
      var pipes: [Int32] = [-1, -1]
      let events = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
      guard events >= 0, inotify_add_watch(events, file.watchedPath, UInt32(IN_ATTRIB)) >= 0,
        pipe(&pipes) == 0
      else {
        if events >= 0 { close(events) }
        return nil
      }
      for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      stopping = pipes[1]
      let work = Unmanaged.passRetained(Work(events: events, stop: pipes[0], hear: hear))
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        { context in
          // Safety: the thread takes over the reference that was passed to it.
          let work = context.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue() }
          work?.run()
          return nil
        }, work.toOpaque())
      if code == 0 {
        pthread_detach(thread)
      } else {
        work.release()
        return nil
      }
    #else
      return nil
    #endif
  }

  deinit {
    // A byte: a child process may have inherited the descriptor, and closing it then ends nothing.
    var byte: UInt8 = 0
    _ = write(stopping, &byte, 1)
    close(stopping)
  }

  #if os(Linux)
    /// The thread's part. It owns the descriptors that it reads.
    private final class Work: Sendable {
      private let events: Int32
      private let stop: Int32
      private let hear: @Sendable () -> Void

      init(events: Int32, stop: Int32, hear: @escaping @Sendable () -> Void) {
        (self.events, self.stop, self.hear) = (events, stop, hear)
      }

      deinit {
        close(events)
        close(stop)
      }

      func run() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
          var descriptors = [
            pollfd(fd: events, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
          ]
          let count = poll(&descriptors, 2, -1)
          if count < 0, errno == EINTR { continue }
          if count < 0 || descriptors[1].revents != 0 { return }
          // The events say nothing new, and many are one.
          while read(events, &bytes, bytes.count) > 0 {}
          hear()
        }
      }
    }
  #endif
}
