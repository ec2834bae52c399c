// SPDX-License-Identifier: Apache-2.0

/// A Swift task, to be compared with another one.
///
/// It is the address of the task. A job that runs a part of a task is the task itself, so an
/// executor, which is given jobs, knows whose code it runs. Later, a task may have the address of
/// one that has ended.
package struct TaskIdentity: Equatable, Sendable {
  /// Never 0.
  package let address: UInt

  /// The task whose job this is. A job that belongs to no task is equal to none.
  package init(of job: UnownedJob) {
    // Safety: a value of one pointer, which is only compared.
    address = unsafeBitCast(job, to: UInt.self)
  }

  private init(of task: UnsafeCurrentTask) {
    // Safety: a value of one pointer, which is only compared.
    address = unsafeBitCast(task, to: UInt.self)
  }

  /// The task that the calling thread runs; nil if it runs none.
  package static var current: TaskIdentity? {
    withUnsafeCurrentTask { $0.map { TaskIdentity(of: $0) } }
  }
}
