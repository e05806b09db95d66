/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilers the JVM is to have. The rule and its reasons: docs/streams-and-threads.md, "Which compilers". Starts
 * nothing. */
#ifndef COMPILERS_H
#define COMPILERS_H

#include <stdbool.h>

/* Whether the first compiler (C1) is enough: unless the environment says that the job's ranks are on several hosts, or
 * names a fabric whose packets Java makes. Java's own version is Compilers.java; one table tests both. */
bool is_first_compiler_enough(void);

#endif
