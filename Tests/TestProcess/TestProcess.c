// SPDX-License-Identifier: Apache-2.0
//
// Settings of a process that runs tests, from before its first test. The processes that it starts
// inherit them. A variable that is set already keeps its value.
#define _GNU_SOURCE
#include <stdlib.h>

__attribute__((constructor)) static void set_defaults(void) {
  // With all tests at the same time, most would hold their stores open while they wait for a core,
  // and use up the descriptors and addresses that the system grants the process.
  // Swift Testing: `--experimental-maximum-parallelization-width`.
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "6", 0);
  // 64 MiB for each store whose test names no limit: see `EnvironmentOptions`.
  setenv("STRATA_BYTE_COUNT_MAX", "31457280", 0);
}

#ifdef __linux__
#include <dirent.h>
#include <dlfcn.h>
#include <string.h>

// Foundation's Process copies 256 bytes of the name of each file that the process has open, also of
// one at the end of readdir's buffer: with some 1,350 open files, it ends the process where no
// memory follows (swift-corelibs-foundation #5472; Swift 6.3.1 has it). So entries are read from a
// copy, which the thread's next call replaces.
struct dirent *readdir(DIR *folder) {
  static struct dirent *(*_Atomic system_readdir)(DIR *);
  static _Thread_local struct dirent copy;
  if (!system_readdir) system_readdir = dlsym(RTLD_NEXT, "readdir");
  struct dirent *entry = system_readdir(folder);
  return entry ? memcpy(&copy, entry, entry->d_reclen) : NULL;
}
#endif
