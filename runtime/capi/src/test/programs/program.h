/* SPDX-License-Identifier: Apache-2.0 */
/* What the test programs share: they end with the first thing that is not as it should be. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tombolo.h>

#define REQUIRE(condition, ...)                                                  \
  do {                                                                           \
    if (!(condition)) {                                                          \
      (void)fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);      \
      (void)fprintf(stderr, __VA_ARGS__);                                        \
      (void)fprintf(stderr, "; last error: %s\n", tombolo_last_error());         \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

#define OK(call)                                                                 \
  do {                                                                           \
    tombolo_status status_ = (call);                                             \
    REQUIRE(status_ == TOMBOLO_OK, "%s", tombolo_status_name(status_));          \
  } while (0)

#define FAILS(expected, words, call)                                             \
  do {                                                                           \
    tombolo_status status_ = (call);                                             \
    REQUIRE(status_ == (expected), "%s", tombolo_status_name(status_));          \
    REQUIRE(strstr(tombolo_last_error(), (words)) != NULL, "no word of " words); \
  } while (0)

#endif
