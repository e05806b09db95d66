/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilers the JVM is to have. The rule and its reasons: docs/streams-and-threads.md, "Which compilers". Starts
 * nothing. */
#ifndef COMPILERS_H
#define COMPILERS_H

#include <stdbool.h>
#include <stdint.h>

/* What the program that starts the JVM says of its job itself. */
struct known_job {
  int32_t ranks;       /* 0: the environment's */
  int32_t local_ranks; /* those of them on this host; 0: the environment's */
  const char* fabrics; /* separated by commas; NULL: the environment's */
};

/* Whether the first compiler (C1) is enough: unless `job`, or the environment where that does not say, has ranks on
 * several hosts, or names a fabric whose packets Java makes. Java's launcher has Compilers.java. */
bool is_first_compiler_enough(const struct known_job* job);

#endif
