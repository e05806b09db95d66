// SPDX-License-Identifier: Apache-2.0
/* Handles that outlive their object, libraries that are not there, and processes that end in a library. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
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

enum { AT_ONCE = 0, PATIENCE_MS = 10000, ROUNDS = 500, LONG_US = 50000, MOST_INSIDE = 65535, MANY_ROWS = 2000, MANY_OBJECTS = 200000 };

static void who_has_entered_is_waited_for(void) {
  struct ccl_object object = {.communicator = &object};
  struct ccl_object found;
  int64_t handle = handle_new(&object);
  check(handle_enter(handle, CALL, &found) && found.communicator == &object, "one enters");
  check(handle_take(handle, &found) && !handle_enter(handle, CALL, &found), "and nobody else, once it is taken");
  check(!handle_await_leaving(handle, AT_ONCE), "one is still inside");
  int64_t other = handle_new(&object);
  check((uint32_t)other != (uint32_t)handle, "whose place is given to nobody");
  handle_leave(handle, CALL);
  check(handle_await_leaving(handle, AT_ONCE), "now all have left");
  check(handle_take(other, &found) && handle_await_leaving(other, AT_ONCE), "nobody had come");
}

/* A library frees its communicator in an abort; whoever is inside then reads freed memory, and the sanitizer tells. */
static _Atomic int64_t shared;

static void* use_until_it_is_gone(void* times) {
  struct ccl_object found;
  while (handle_enter(atomic_load(&shared), CALL, &found)) {
    *(int*)times += *(volatile int*)found.communicator;
    handle_leave(atomic_load(&shared), CALL);
  }
  return NULL;
}

static void an_abort_frees_nothing_under_a_call(void) {
  int times[2] = {0, 0};
  for (int round = 0; round < ROUNDS; round++) {
    int* communicator = malloc(sizeof *communicator);
    check(communicator != NULL, "there is memory");
    *communicator = 1;
    struct ccl_object object = {.communicator = communicator};
    struct ccl_object taken;
    pthread_t users[2];
    atomic_store(&shared, handle_new(&object));
    for (int i = 0; i < 2; i++) {
      check(pthread_create(&users[i], NULL, use_until_it_is_gone, &times[i]) == 0, "a thread starts");
    }
    check(handle_take(atomic_load(&shared), &taken), "it is taken once");
    check(handle_await_leaving(atomic_load(&shared), PATIENCE_MS), "and left");
    free(taken.communicator);
    for (int i = 0; i < 2; i++) {
      check(pthread_join(users[i], NULL) == 0, "a thread ends");
    }
  }
}

static void* ask_for_long(void* handle) {
  struct ccl_object found;
  check(handle_enter(*(int64_t*)handle, QUESTION, &found), "one asks");
  atomic_store(&shared, *(int64_t*)handle);
  (void)usleep(LONG_US); /* fixed time: who waits too short a time for it shows only meanwhile */
  check(*(volatile int*)found.communicator == 1, "of a communicator that is there");
  handle_leave(*(int64_t*)handle, QUESTION);
  return NULL;
}

/* Not even a thread that others keep from running for longer than calls are waited for. */
static void an_abort_frees_nothing_under_a_question(void) {
  int* communicator = malloc(sizeof *communicator);
  check(communicator != NULL, "there is memory");
  *communicator = 1;
  struct ccl_object object = {.communicator = communicator};
  struct ccl_object taken;
  pthread_t asks;
  int64_t handle = handle_new(&object);
  atomic_store(&shared, 0);
  check(pthread_create(&asks, NULL, ask_for_long, &handle) == 0, "a thread starts");
  while (atomic_load(&shared) == 0) {
    (void)sched_yield();
  }
  check(handle_enter(handle, CALL, &taken) && handle_take(handle, &taken), "another one calls, and it is taken");
  check(!handle_await_leaving(handle, AT_ONCE), "the call is given up");
  free(communicator);
  check(pthread_join(asks, NULL) == 0, "a thread ends");
  handle_leave(handle, CALL);
}

static int64_t now_ms(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000L;
}

static void* call_for_long(void* handle) {
  struct ccl_object found;
  check(handle_enter(*(int64_t*)handle, CALL, &found), "one calls");
  atomic_store(&shared, *(int64_t*)handle);
  (void)usleep(LONG_US); /* fixed time: so that the abort waits already when the call comes out */
  handle_leave(*(int64_t*)handle, CALL);
  return NULL;
}

static void who_leaves_wakes_who_waits(void) {
  struct ccl_object object = {.communicator = &object};
  int64_t handle = handle_new(&object);
  pthread_t calls;
  atomic_store(&shared, 0);
  check(pthread_create(&calls, NULL, call_for_long, &handle) == 0, "a thread starts");
  while (atomic_load(&shared) == 0) {
    (void)sched_yield();
  }
  int64_t begin = now_ms();
  check(handle_take(handle, &object) && handle_await_leaving(handle, PATIENCE_MS), "the call comes out");
  check(now_ms() - begin < PATIENCE_MS / 2, "and who waits hears of it");
  check(pthread_join(calls, NULL) == 0, "a thread ends");
}

static void handles_are_found_while_others_are_made(void) {
  static int64_t others[MANY_ROWS];
  int times = 0;
  int one = 1;
  struct ccl_object object = {.communicator = &one};
  struct ccl_object found;
  pthread_t user;
  atomic_store(&shared, handle_new(&object));
  check(pthread_create(&user, NULL, use_until_it_is_gone, &times) == 0, "a thread starts");
  for (int i = 0; i < MANY_ROWS; i++) {
    others[i] = handle_new(&object);
    check(others[i] != 0, "there is room for more");
  }
  check(handle_take(atomic_load(&shared), &found), "the first is there still");
  check(handle_await_leaving(atomic_load(&shared), PATIENCE_MS) && pthread_join(user, NULL) == 0, "and is left");
  for (int i = 0; i < MANY_ROWS; i++) {
    check(handle_take(others[i], &found) && !handle_get(others[i], &found), "so are the others, and each once");
  }
}

/* Relaxed, so that only the table itself has the reader see what the writer did before. */
static void* copy_until_there_is_none(void* nothing) {
  struct ccl_object found;
  for (int64_t handle; (handle = atomic_load_explicit(&shared, memory_order_relaxed)) != 0;) {
    if (handle_get(handle, &found)) {
      check(found.api.entries[0] == found.memory, "a copy is of one object");
    }
  }
  return nothing;
}

static void a_copy_is_of_one_object_while_rows_change_hands(void) {
  char objects[2];
  struct ccl_object object = {.memory = NULL};
  pthread_t reader;
  int64_t handle = handle_new(&object);
  atomic_store(&shared, handle);
  check(pthread_create(&reader, NULL, copy_until_there_is_none, NULL) == 0, "a thread starts");
  for (int i = 0; i < MANY_OBJECTS; i++) {
    check(handle_take(handle, &object), "it is taken");
    object.api.entries[0] = object.memory = &objects[i % 2];
    handle = handle_new(&object);
    atomic_store_explicit(&shared, handle, memory_order_relaxed);
  }
  atomic_store(&shared, 0);
  check(pthread_join(reader, NULL) == 0 && handle_take(handle, &object), "the last is there still");
}

static _Atomic bool is_in;

static void* come_in(void* handle) {
  struct ccl_object found;
  check(handle_enter(*(int64_t*)handle, QUESTION, &found), "one more asks");
  atomic_store(&is_in, true);
  handle_leave(*(int64_t*)handle, QUESTION);
  return NULL;
}

/* Counts share a word with each other and with the generation. */
static void who_is_one_too_many_waits(void) {
  struct ccl_object object = {.communicator = &object};
  struct ccl_object found;
  int64_t handle = handle_new(&object);
  pthread_t late;
  for (int i = 0; i < MOST_INSIDE; i++) {
    check(handle_enter(handle, QUESTION, &found), "many ask");
  }
  atomic_store(&is_in, false);
  check(pthread_create(&late, NULL, come_in, &handle) == 0, "a thread starts");
  (void)usleep(LONG_US); /* fixed time: who comes in all the same has come in by then */
  check(!atomic_load(&is_in), "one more has to wait");
  check(handle_enter(handle, CALL, &found) && found.communicator == &object, "but not who calls");
  handle_leave(handle, QUESTION);
  check(pthread_join(late, NULL) == 0 && atomic_load(&is_in), "until one has left");
  for (int i = 1; i < MOST_INSIDE; i++) {
    handle_leave(handle, QUESTION);
  }
  check(handle_take(handle, &found), "it is taken");
  check(!handle_await_leaving(handle, AT_ONCE), "the call is still inside");
  handle_leave(handle, CALL);
  check(handle_await_leaving(handle, AT_ONCE), "and leaves last");
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

/* A library that cleans up what it set up when it was opened, and while it joined; the process may end in one of its calls. */
enum { IN_ORDER = 7, CRASHED = 99 };

static enum entry last;
static char id;

static void clean_up_under_a_thread(void) { _exit(CRASHED); }

static int set_up(void) { return atexit(clean_up_under_a_thread); }

static int come_to(enum entry entry) {
  if (entry == last) {
    exit(IN_ORDER);
  }
  return 0;
}

static const struct ccl_member member = {.id = &id, .rank = 1, .size = 2};

static int join(const struct ccl_api* api, void** communicator, const struct ccl_member* joining) {
  check(api->entries[COMM_INIT_RANK] == &last && joining == &member, "a join is passed on");
  *communicator = &id;
  return come_to(COMM_INIT_RANK) + set_up();
}

static int all_reduce(void* entry, void* communicator, const struct ccl_call* call) {
  check(entry == &last && communicator == &id && call->count == 3, "a call is passed on");
  return come_to(ALL_REDUCE);
}

static int group_end(void) { return come_to(GROUP_END); }

static int comm_register(void* communicator, void* memory) {
  check(communicator == &id && memory == &last, "memory is passed on");
  return come_to(COMM_REGISTER);
}

static void use(bool can_abort) {
  static const struct ccl_shape shape = {.join = join, .collectives = {[ALL_REDUCE] = all_reduce}};
  struct ccl_call call = {.count = 3};
  struct ccl_object object = {.api = {.shape = &shape}};
  object.api.entries[COMM_INIT_RANK] = &last;
  object.api.entries[ALL_REDUCE] = &last;
  object.api.entries[GROUP_END] = (void*)group_end;
  object.api.entries[COMM_REGISTER] = (void*)comm_register;
  object.api.entries[COMM_ABORT] = can_abort ? &last : NULL;
  (void)set_up();
  check(ccl_join(&object.api, &object.communicator, &member) == 0, "a member joins");
  check(ccl_perform(&object, ALL_REDUCE, &call) == 0, "and calls");
  check(ccl_end_group(&object.api) == 0, "and groups calls");
  check(ccl_register(&object, &last) == 0, "and brings memory");
}

/* The exit code of a process that ends in `entry`, or after all calls. */
static int exit_code(enum entry entry, bool can_abort) {
  pid_t child = fork();
  if (child == 0) {
    last = entry;
    use(can_abort);
    exit(IN_ORDER);
  }
  int status = 0;
  check(waitpid(child, &status, 0) == child && WIFEXITED(status), "a process ends");
  return WEXITSTATUS(status);
}

static void a_process_ends_although_a_thread_is_in_a_library(void) {
  check(exit_code(ALL_REDUCE, false) == IN_ORDER, "nothing is cleaned up under a thread in a call");
  check(exit_code(GROUP_END, false) == IN_ORDER, "nor in a group's end");
  check(exit_code(COMM_REGISTER, false) == IN_ORDER, "nor in a registration");
  check(exit_code(COMM_INIT_RANK, false) == IN_ORDER, "nor in a join");
  check(exit_code(COMM_INIT_RANK, true) == IN_ORDER, "which no library can abort");
  check(exit_code(ALL_REDUCE, true) == CRASHED, "what can be aborted is not a thread's last place");
  check(exit_code(ENTRIES, false) == CRASHED, "everything is cleaned up when no thread is in there");
}

int main(void) {
  a_process_ends_although_a_thread_is_in_a_library();
  stale_handles_are_refused();
  who_has_entered_is_waited_for();
  who_leaves_wakes_who_waits(); /* first: without it those that follow take hours */
  an_abort_frees_nothing_under_a_call();
  an_abort_frees_nothing_under_a_question();
  a_copy_is_of_one_object_while_rows_change_hands();
  handles_are_found_while_others_are_made();
  who_is_one_too_many_waits();
  missing_libraries_are_named();
  return 0;
}
