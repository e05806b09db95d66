/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaves SIGUSR2 to the program, to which schedulers send it before they preempt a job. The JVM takes it to suspend its
 * threads, unless _JAVA_SR_SIGNUM names another signal; there is no option for that. The variable is set when this library
 * is loaded, not at the JVM's start: a program that is linked to it has no other thread yet that could be reading the
 * environment, and Python holds the GIL.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { ABOVE_FIRST = 6 }; /* the first real-time signals are taken by libraries that ask for "SIGRTMIN" */

__attribute__((constructor)) static void choose_suspend_signal(void) {
  char number[16];
  (void)snprintf(number, sizeof number, "%d", SIGRTMIN + ABOVE_FIRST);
  (void)setenv("_JAVA_SR_SIGNUM", number, 0); /* without memory for it the JVM takes SIGUSR2, as ever */
}
