// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Takes what its callers pass, as no argument is looked at: so do the calling conventions of all hosts with CUDA. */
static int absent(void) { return ABSENT; }

struct driver driver_open(const char* library) {
  void* opened = dlopen(library, RTLD_NOW);
  if (opened == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  struct driver driver;
  void* found;
#define FIND(name, parameters)                                    \
  found = dlsym(opened, #name);                                   \
  driver.name = (int(*) parameters)(found != NULL ? found : (void*)absent);
  DRIVER_FUNCTIONS(FIND)
#undef FIND
  return driver;
}

const char* driver_error(const struct driver* driver, int code) {
  const char* name = NULL;
  return driver->cuGetErrorName(code, &name) == 0 && name != NULL ? name : "unknown";
}
