/* Opening a vendor's library where it is, without LD_LIBRARY_PATH. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccl.h"

enum { HOW = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

/* The host program's copy comes first: two copies of one library would not know of each other's state. */
static void* loaded_already(const char* const* candidates) {
  for (; *candidates != NULL; candidates++) {
    void* library = dlopen(*candidates, HOW | RTLD_NOLOAD);
    if (library != NULL) {
      return library;
    }
  }
  return NULL;
}

static bool prepare(const char* const* dependencies, const char* const* environment, char* problem, size_t bytes) {
  for (; *environment != NULL; environment += 2) {
    if (setenv(environment[0], environment[1], 1) != 0) {
      (void)snprintf(problem, bytes, "cannot set %s: %s", environment[0], strerror(errno));
      return false;
    }
  }
  for (; *dependencies != NULL; dependencies++) {
    void* dependency = dlopen(*dependencies, HOW);
    if (dependency == NULL || !ccl_keep_signals(dependency)) {
      const char* why = dlerror();
      (void)snprintf(problem, bytes, "%s", why == NULL ? strerror(errno) : why);
      return false;
    }
  }
  return true;
}

void* ccl_open(const char* const* candidates, const char* const* dependencies, const char* const* environment,
               char* problem, size_t problem_bytes) {
  void* library = loaded_already(candidates);
  if (library != NULL || !prepare(dependencies, environment, problem, problem_bytes)) {
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
