// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int find(void* library, const char* symbol, void* into) {
  void* found = dlsym(library, symbol);
  *(void**)into = found;
  return found != NULL;
}

/* The name of the first symbol that must be there and is not, or NULL. */
static const char* fill(void* library, verbs_library* made) {
#define VERBS_MUST(name, result, parameters) \
  if (!find(library, "ibv_" #name, &made->name)) return "ibv_" #name;
  VERBS_MUSTS(VERBS_MUST)
#undef VERBS_MUST
#define VERBS_EXTRA(name, result, parameters) (void)find(library, "ibv_" #name, &made->name);
  VERBS_EXTRAS(VERBS_EXTRA)
#undef VERBS_EXTRA
  (void)find(library, "_ibv_query_gid_ex", &made->query_gid_ex);
  return NULL;
}

/* Never closed: its drivers leave threads and destructors behind. */
verbs_library* verbs_open(const char* name, char* problem, size_t problem_bytes) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == NULL) {
    (void)snprintf(problem, problem_bytes, "%s", dlerror());
    return NULL;
  }
  verbs_library* made = calloc(1, sizeof *made);
  const char* missing = made == NULL ? "(memory)" : fill(library, made);
  if (missing != NULL) {
    (void)snprintf(problem, problem_bytes, "%s has no %s", name, missing);
    free(made);
    return NULL;
  }
  return made;
}
