// SPDX-License-Identifier: Apache-2.0
/* What tests of a device runtime's shape share: a library that notes calls and answers as it is told, and calls to pass on. */
#ifndef NOTING_LIBRARY_H
#define NOTING_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { OK = 0, UNKNOWN = 4711 };

static int answer; /* of the library's next calls */
static int called;
static size_t size;
static char host;
static char stream;
static char event;

static inline void check(bool holds, const char* what) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

static inline int noted(bool holds, const char* what) {
  check(holds, what);
  called++;
  return answer;
}

/* A call that the shape passes on; what it checks of the arguments is up to the library. */
struct pass {
  const char* name;
  int (*make)(void);
  bool rests; /* where there are no bytes */
};

/* Each of `count` calls, with sizes up to the largest, and answers up to codes that nobody knows. */
static inline void arguments_and_codes_are_passed_on(const struct pass* passes, size_t count, int no_memory) {
  static const size_t sizes[] = {0, 1, (size_t)UINT32_MAX + 1, SIZE_MAX};
  const int codes[] = {OK, no_memory, UNKNOWN, -UNKNOWN};
  for (size_t i = 0; i < count; i++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
        bool rests = passes[i].rests && sizes[s] == 0;
        size = sizes[s];
        answer = codes[c];
        called = 0;
        check(passes[i].make() == (rests ? OK : codes[c]) && called == (rests ? 0 : 1), passes[i].name);
      }
    }
  }
  answer = OK;
}

#endif
