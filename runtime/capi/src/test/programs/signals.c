/* SPDX-License-Identifier: Apache-2.0 */
/* The program's signals stay its own: handlers from before and after the JVM's start, and, at the end, none. One rank. */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "program.h"

static volatile sig_atomic_t interrupts;
static volatile sig_atomic_t alarms;

static void on_interrupt(int number) {
  (void)number;
  interrupts = interrupts + 1;
}

static void on_alarm(int number) {
  (void)number;
  alarms = alarms + 1;
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  REQUIRE(sigaction(number, &action, NULL) == 0, "sigaction");
}

int main(void) {
  tombolo_comm comm;
  tombolo_work work;
  float vector[4] = {1, 2, 3, 4};
  handle(SIGINT, on_interrupt);
  handle(SIGUSR2, on_interrupt);
  OK(tombolo_comm_init(NULL, &comm));
  REQUIRE(raise(SIGINT) == 0 && interrupts == 1, "the handler from before is the program's still");
  REQUIRE(raise(SIGUSR2) == 0 && interrupts == 2, "also that of the signal which a JVM takes");
  handle(SIGHUP, on_interrupt);
  REQUIRE(kill(getpid(), SIGHUP) == 0 && interrupts == 3, "so is one from afterwards");

  handle(SIGALRM, on_alarm);
  const struct itimerval often = {{0, 1000}, {0, 1000}};
  REQUIRE(setitimer(ITIMER_REAL, &often, NULL) == 0, "a timer");
  for (int i = 0; i < 2000 || alarms < 5; i++) {
    OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
    OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
    OK(tombolo_release(work));
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  REQUIRE(setitimer(ITIMER_REAL, &never, NULL) == 0, "no timer");
  OK(tombolo_comm_destroy(comm));
  (void)printf("now to be terminated\n");
  (void)fflush(stdout);
  (void)kill(getpid(), SIGTERM);
  (void)sleep(20); /* fixed time: the signal ends it */
  return 1; /* SIGTERM does to a program without a handler what it does */
}
