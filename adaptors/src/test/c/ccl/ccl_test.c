/* Handles that outlive their object, and libraries that are not there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(void) {
  stale_handles_are_refused();
  missing_libraries_are_named();
  return 0;
}
