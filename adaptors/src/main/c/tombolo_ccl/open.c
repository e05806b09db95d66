// SPDX-License-Identifier: Apache-2.0
/* Opening a vendor's library where it is, without LD_LIBRARY_PATH. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/signals.h"
#include "ccl.h"

enum { HOW = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

/* The host program's copy comes first: two copies of one library would not know of each other's state. */
void* ccl_loaded(const char* const* candidates) {
  for (; *candidates != NULL; candidates++) {
    void* library = dlopen(*candidates, HOW | RTLD_NOLOAD);
    if (library != NULL) {
      return library;
    }
  }
  return NULL;
}

static bool open_first(const char* const* dependencies, char* problem, size_t bytes) {
  for (; *dependencies != NULL; dependencies++) {
    void* dependency = dlopen(*dependencies, HOW);
    if (dependency == NULL || !signals_keep(dependency)) {
      const char* why = dlerror();
      (void)snprintf(problem, bytes, "%s", why == NULL ? strerror(errno) : why);
      return false;
    }
  }
  return true;
}

void* ccl_open(const char* const* candidates, const char* const* dependencies, char* problem, size_t problem_bytes) {
  void* library = ccl_loaded(candidates);
  if (library != NULL || !open_first(dependencies, problem, problem_bytes)) {
    return library;
  }
  size_t said = 0;
  for (; *candidates != NULL; candidates++) {
    library = dlopen(*candidates, HOW);
    if (library != NULL) {
      return library;
    }
    if (said < problem_bytes) {
      said += (size_t)snprintf(problem + said, problem_bytes - said, "%s%s", said == 0 ? "" : "; ", dlerror());
    }
  }
  return NULL;
}
