// SPDX-License-Identifier: Apache-2.0
/* The emulated HCA as a program meets it that was written for real ones. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

/* A network of its own; the machine is described once a process, so each kind of it is tried in its own. */
static void begin(const char* nics) {
  char fabric[32];
  (void)snprintf(fabric, sizeof fabric, "test-%d", (int)getpid());
  check(setenv("TOMBOLO_HCA_FABRIC", fabric, 1) == 0, "setenv", 0);
  check(setenv("TOMBOLO_HCA_SEED", "42", 0) == 0, "setenv", 0);
  check(setenv("TOMBOLO_HCA_NICS", nics, 1) == 0, "setenv", 0);
  (void)printf("the emulated HCA, %s, TOMBOLO_HCA_SEED=%s\n", nics, getenv("TOMBOLO_HCA_SEED"));
  (void)fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc == 1) {
    begin("infiniband,infiniband");
    datagram_tests();
    efa_tests();
    network_tests();
    (void)execl("/proc/self/exe", argv[0], "again", NULL);
    check(false, "start again", 0);
  }
  begin("ethernet,ethernet");
  reliable_tests();
  unreliable_tests();
  datagram_tests();
  efa_tests();
  memory_tests();
  queue_tests();
  network_tests();
  return 0;
}
