/* Handles that outlive their object, and libraries that are not there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../main/c/tombolo_ccl/ccl.h"

static void check(bool holds, const char* what) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

static void stale_handles_are_refused(void) {
  enum { MANY = 100 };
  int64_t handles[MANY];
  struct ccl_object found;
  for (intptr_t i = 0; i < MANY; i++) {
    struct ccl_object object = {.communicator = (void*)(i + 1)};
    handles[i] = handle_new(&object);
    check(handles[i] != 0, "a handle is never 0");
  }
  for (intptr_t i = 0; i < MANY; i++) {
    check(handle_get(handles[i], &found) && found.communicator == (void*)(i + 1), "a handle finds its own object");
    check(handle_take(handles[i], &found), "taking works once");
    check(!handle_take(handles[i], &found) && !handle_get(handles[i], &found), "and only once");
  }
  struct ccl_object next = {.communicator = &found};
  check(handle_new(&next) != handles[0], "a reused place has a new handle");
  check(!handle_get(handles[0], &found), "which the old one does not reach");
  check(!handle_get(0, &found) && !handle_get(-1, &found), "other numbers are no handles");
}

static void missing_libraries_are_named(void) {
  const char* candidates[] = {"libtombolo-a.so", "/nowhere/libtombolo-b.so", NULL};
  const char* none[] = {NULL};
  char problem[512] = "";
  check(ccl_open(candidates, none, problem, sizeof problem) == NULL, "there is no such library");
  check(strstr(problem, "libtombolo-a.so") != NULL && strstr(problem, "/nowhere/libtombolo-b.so") != NULL,
        "both candidates are named");
  char little[8];
  check(ccl_open(candidates, candidates, little, sizeof little) == NULL, "nor its dependency");
  check(strlen(little) < sizeof little, "the message was cut");
  const char* libc[] = {"libc.so.6", NULL};
  check(ccl_loaded(libc) != NULL && ccl_loaded(candidates) == NULL, "what is loaded is known");
  check(ccl_open(libc, candidates, problem, sizeof problem) != NULL, "a loaded copy needs no dependencies");
}

enum { IN_ORDER = 7, CRASHED = 99 };

static void clean_up_under_a_thread(void) { _exit(CRASHED); }

/* The exit code of a process whose library cleans up at exit; one of its threads may be in there. */
static int exit_code(bool inside) {
  pid_t child = fork();
  if (child == 0) {
    struct ccl_api cannot_abort = {.entries = {NULL}};
    (void)atexit(clean_up_under_a_thread);
    ccl_enter(&cannot_abort);
    ccl_leave(&cannot_abort);
    if (inside) {
      ccl_enter(&cannot_abort);
    }
    exit(IN_ORDER);
  }
  int status = 0;
  check(waitpid(child, &status, 0) == child && WIFEXITED(status), "a process ends");
  return WEXITSTATUS(status);
}

static void a_process_ends_although_a_thread_is_in_a_library(void) {
  check(exit_code(true) == IN_ORDER, "nothing is cleaned up under a thread");
  check(exit_code(false) == CRASHED, "everything is, when no thread is in there");
}

int main(void) {
  a_process_ends_although_a_thread_is_in_a_library();
  stale_handles_are_refused();
  missing_libraries_are_named();
  return 0;
}
