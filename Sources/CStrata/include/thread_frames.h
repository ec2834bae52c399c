// SPDX-License-Identifier: Apache-2.0
//
// The thread's stack of entered contexts. Swift has no thread-local storage, and a managed object
// context must know, without a lock, whether the calling thread already runs inside it.
//
// Each entered context pushes a frame that is on the caller's stack and links to the one below; the
// thread keeps only the top. A frame lives from push to pop on one thread: bodies are synchronous,
// so nothing suspends between the two.
#ifndef STRATA_THREAD_FRAMES_H
#define STRATA_THREAD_FRAMES_H

#include <pthread.h>
#include <stdint.h>

extern _Thread_local void *_Nullable strata_top_frame;

static inline void *_Nullable strata_get_top_frame(void) { return strata_top_frame; }
static inline void strata_set_top_frame(void *_Nullable frame) { strata_top_frame = frame; }

/// The contexts that the calling thread has still to release; NULL while it releases none.
extern _Thread_local void *_Nullable strata_waiting_releases;

static inline void *_Nullable strata_get_waiting_releases(void) { return strata_waiting_releases; }
static inline void strata_set_waiting_releases(void *_Nullable list) {
  strata_waiting_releases = list;
}

/// An identifier of a thread, which no other living thread has.
static inline uintptr_t strata_id_of_thread(pthread_t thread) { return (uintptr_t)thread; }

/// The identifier of the calling thread.
static inline uintptr_t strata_thread_id(void) { return strata_id_of_thread(pthread_self()); }

#endif
