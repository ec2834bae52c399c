// SPDX-License-Identifier: Apache-2.0
//
// Synchronization.Mutex, made visible to the thread sanitizer.
//
// On Linux the uncontended lock and unlock of a Mutex are inlined into our code, where the
// sanitizer sees them. Under contention they go into libswiftSynchronization, which is not built
// for the sanitizer: it misses that a lock was taken and reports races that are none. A suppression
// would match any function in the stack, and so hide the real races under `withLock` too.
//
// In a test that is built for the sanitizer, the contended lock is this one instead: the linker
// takes the symbols from here before it looks into the library. It takes the same word from 0 to
// the thread's number, as Mutex does, but never marks it as waited for; so nobody goes to sleep in
// the kernel, and every unlock is the inlined one. For that reason the contended try-lock is here,
// too: asked for it, the kernel marks the word. If another Swift renames the symbols, the false
// reports come back; nothing else does.
//
// In all other builds there is nothing here.

#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Synchronization._MutexHandle._lockSlow(UInt32)
__attribute__((swiftcall)) void visible_lock_slow(
    uint32_t thread, __attribute__((swift_context)) _Atomic(uint32_t) *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void visible_lock_slow(
    uint32_t thread, __attribute__((swift_context)) _Atomic(uint32_t) *word) {
  for (;;) {
    uint32_t expected = 0;
    if (atomic_compare_exchange_weak_explicit(
            word, &expected, thread, memory_order_acquire, memory_order_relaxed)) {
      return;
    }
    sched_yield();
  }
}

// Synchronization._MutexHandle._tryLockSlow() -> Bool: the inlined part has found the lock taken.
__attribute__((swiftcall)) bool visible_try_lock_slow(
    __attribute__((swift_context)) _Atomic(uint32_t) *word)
    __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");

__attribute__((swiftcall)) bool visible_try_lock_slow(
    __attribute__((swift_context)) _Atomic(uint32_t) *word) {
  (void)word;
  return false;
}

#endif
#endif
