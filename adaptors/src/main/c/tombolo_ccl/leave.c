/*
 * A process may end while a thread of it is in a library that cannot be aborted: the member it waits for is gone. Exit
 * handlers of the library would then take away what that thread uses, and the process would crash where it ends in order.
 * So it ends without the handlers that were there before it went in; the later ones, which are not the library's, have run.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ccl.h"

static _Atomic int inside;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void leave_at_once(int status, void* nothing) {
  (void)nothing;
  if (atomic_load(&inside) > 0) {
    (void)fflush(NULL);
    _exit(status);
  }
}

/* Handlers run in the reverse of their order: the library is open, and joined, by now. Without memory for one more: none. */
static void prepare(void) { (void)on_exit(leave_at_once, NULL); }

void ccl_enter(const struct ccl_api* api) {
  if (api->entries[COMM_ABORT] == NULL) {
    (void)pthread_once(&prepared, prepare);
    (void)atomic_fetch_add(&inside, 1);
  }
}

void ccl_leave(const struct ccl_api* api) {
  if (api->entries[COMM_ABORT] == NULL) {
    (void)atomic_fetch_sub(&inside, 1);
  }
}
