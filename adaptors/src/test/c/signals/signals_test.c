// SPDX-License-Identifier: Apache-2.0
/* That an object which is kept from it changes no handler, neither by sigaction nor by signal. It is this program itself. */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../main/c/shared/signals.h"

static void ours(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  (void)context;
}

static void theirs(int number) { (void)number; }

static void check(int holds, const char* what) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

static void is_ours(const char* after) {
  struct sigaction now;
  check(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_sigaction == ours && (now.sa_flags & SA_SIGINFO) != 0, after);
}

int main(void) {
  struct sigaction wanted = {.sa_sigaction = ours, .sa_flags = SA_SIGINFO | SA_RESTART};
  check(sigaction(SIGTERM, &wanted, NULL) == 0, "a handler before");
  is_ours("before");
  check(signals_keep(dlopen(NULL, RTLD_NOW)), "the program's imports are redirected");
  is_ours("reading handlers goes on");
  void (*before)(int) = signal(SIGTERM, SIG_IGN);
  check((uintptr_t)before == (uintptr_t)ours, "signal() tells the handler that there is");
  is_ours("after signal(SIG_IGN)");
  check(signal(SIGTERM, theirs) != SIG_ERR, "signal()");
  is_ours("after signal()");
  check(signal(SIGTERM, before) != SIG_ERR, "signal() back");
  is_ours("after signal() back");
  struct sigaction other = {.sa_handler = theirs};
  check(sigaction(SIGTERM, &other, NULL) == 0, "sigaction()");
  is_ours("after sigaction()");
  return 0;
}
