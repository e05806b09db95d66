// SPDX-License-Identifier: Apache-2.0
/* What this program can ask: sections, each with cases, which a child process goes through from one of them on. */
#ifndef SECTIONS_H
#define SECTIONS_H

/* How a child ends that has said why it does not go on: the next case is another child's, or the section has no more. */
enum { EXIT_NEXT = 7, EXIT_NONE = 9 };

typedef struct span { int from, to; } span;

/* How many cases a section has. A section's `what` names a situation, or is empty. */
typedef int section_count(const char* what);
typedef void section_run(const char* library, const char* what, span cases);

section_count held_count, beside_count, queues_count, errors_count, facts_count, latency_count;
section_run held_run, beside_run, queues_run, errors_run, facts_run, latency_run;

#endif
