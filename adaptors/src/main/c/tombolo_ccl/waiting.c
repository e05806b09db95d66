// SPDX-License-Identifier: Apache-2.0
/*
 * The calls that may wait for other members. A process may end while a thread of it is in one: the member it waits for is
 * gone. Exit handlers of the library would then take away what that thread uses, and the process would crash where it ends
 * in order. So it ends without the handlers that were there when a thread first went in: once in a join, and once more in a
 * call, so that what the first join has set up is left out too. Later handlers run first, whoever set them up. The library's
 * own are among them if the process ends while it is still in that join, and so are those of a library that came second.
 * A library that can abort ends its collectives itself; while joining there is no communicator to abort.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ccl.h"

static _Atomic int inside;

static void leave_at_once(int status, void* nothing) {
  (void)nothing;
  if (atomic_load(&inside) > 0) {
    (void)fflush(NULL);
    _exit(status);
  }
}

/* Handlers run in the reverse of their order. Without memory for one more: none. */
static void prepare(void) { (void)on_exit(leave_at_once, NULL); }

static void enter(pthread_once_t* prepared) {
  (void)pthread_once(prepared, prepare);
  (void)atomic_fetch_add(&inside, 1);
}

static void leave(void) { (void)atomic_fetch_sub(&inside, 1); }

/* The library is open by now; what it sets up while it joins comes later. */
int ccl_join(const struct ccl_api* api, void** communicator, const struct ccl_member* member) {
  static pthread_once_t prepared = PTHREAD_ONCE_INIT;
  enter(&prepared);
  int code = api->shape->join(api, communicator, member);
  leave();
  return code;
}

static bool stays(const struct ccl_api* api) { return api->entries[COMM_ABORT] == NULL; }

/* The first library has joined by now. */
static void enter_call(const struct ccl_api* api) {
  static pthread_once_t prepared = PTHREAD_ONCE_INIT;
  if (stays(api)) {
    enter(&prepared);
  }
}

static int leave_call(const struct ccl_api* api, int code) {
  if (stays(api)) {
    leave();
  }
  return code;
}

int ccl_perform(const struct ccl_object* object, enum entry entry, const struct ccl_call* call) {
  enter_call(&object->api);
  int code = object->api.shape->collectives[entry](object->api.entries[entry], object->communicator, call);
  return leave_call(&object->api, code);
}

int ccl_end_group(const struct ccl_api* api) {
  enter_call(api);
  int code = ((int (*)(void))api->entries[GROUP_END])();
  return leave_call(api, code);
}

int ccl_register(const struct ccl_object* object, void* memory) {
  enter_call(&object->api);
  int code = ((int (*)(void*, void*))object->api.entries[COMM_REGISTER])(object->communicator, memory);
  return leave_call(&object->api, code);
}
