// SPDX-License-Identifier: Apache-2.0
#include "ucx_library.h"

#include <dlfcn.h>
#include <stdio.h>

const char* ucx_open(const char* name, char* problem, size_t problem_bytes) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const char* (*version)(void) = NULL;
  if (library != NULL) {
    *(void**)&version = dlsym(library, "ucp_get_version_string");
  }
  if (version == NULL) {
    const char* why = dlerror();
    (void)snprintf(problem, problem_bytes, "%s", why == NULL ? "no ucp_get_version_string in it" : why);
    return NULL;
  }
  return version();
}
