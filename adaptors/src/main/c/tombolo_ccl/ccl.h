// SPDX-License-Identifier: Apache-2.0
/*
 * One vendor's collective library, opened by dlopen and called through the table of its entry points.
 *
 * Nothing here knows a vendor: names and numbers come from Java's CclDialect rows. What differs between libraries in C
 * is the shape of a call, and there is one file per shape.
 */
#ifndef TOMBOLO_CCL_H
#define TOMBOLO_CCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of io.tombolo.adaptors.ccl.Entry; from ALL_TO_ALL on a library may lack them. */
enum entry {
  GET_VERSION,
  GET_UNIQUE_ID,
  COMM_INIT_RANK,
  COMM_DESTROY,
  ALL_REDUCE,
  REDUCE,
  BROADCAST,
  REDUCE_SCATTER,
  ALL_GATHER,
  SEND,
  RECEIVE,
  COMM_ABORT,
  COMM_GET_ASYNC_ERROR,
  GROUP_START,
  GROUP_END,
  MEM_ALLOC,
  MEM_FREE,
  COMM_REGISTER,
  CURRENT_DEVICE,
  MARK,
  ALL_TO_ALL,
  GATHER,
  SCATTER,
  OFFER,
  GET_ERROR_STRING,
  GET_LAST_ERROR,
  ENTRIES
};

enum { MAX_ID_BYTES = 4108 };

struct ccl_shape;

struct ccl_api {
  const struct ccl_shape* shape;
  void* entries[ENTRIES]; /* NULL: not declared, or not there */
};

/* One collective's arguments; `root` is the peer of a send or receive. An operation ignores what it does not have. */
struct ccl_call {
  const void* send;
  void* receive;
  size_t count;
  int type;
  int op;
  int root;
  void* stream;
};

/* Who joins; `device` is the calling thread's, as the entry CURRENT_DEVICE tells it, and of no use without one. */
struct ccl_member {
  const void* id;
  int rank;
  int size;
  int device;
};

typedef int (*ccl_collective)(void* entry, void* communicator, const struct ccl_call* call);

/* How a library is called. All return the library's result code. */
struct ccl_shape {
  size_t id_bytes; /* of a unique id, at most MAX_ID_BYTES */
  int (*version)(void* entry, int* version);
  int (*join)(const struct ccl_api* api, void** communicator, const struct ccl_member* member);
  int (*async_error)(void* entry, void* communicator, int* error);
  ccl_collective collectives[ENTRIES]; /* at the operations' entries */
};

/* The shape with the code that io.tombolo.adaptors.ccl.CallShape has for it; NULL if there is none. */
const struct ccl_shape* ccl_shape(int code);

/* What a handle stands for: a library; or a communicator, or memory, with its library's table. */
struct ccl_object {
  struct ccl_api api;
  void* communicator; /* NULL: a library, or memory */
  void* memory;       /* NULL: no memory */
};

/* The copy of one of `candidates` (NULL-terminated) that the process has loaded; NULL if there is none. */
void* ccl_loaded(const char* const* candidates);

/*
 * Finds the first of `candidates` (NULL-terminated): a copy that is loaded already, else one that can be opened, after
 * opening `dependencies` in order. Libraries stay loaded for the life of the process: vendors' libraries leave threads
 * and exit handlers behind. NULL: `problem` says why.
 */
void* ccl_open(const char* const* candidates, const char* const* dependencies, char* problem, size_t problem_bytes);

/*
 * The calls that may wait for other members, with the library's result: while a thread is in one, the process can end in
 * order all the same. `entry` is an operation that the shape and the library have.
 */
int ccl_join(const struct ccl_api* api, void** communicator, const struct ccl_member* member);
int ccl_perform(const struct ccl_object* object, enum entry entry, const struct ccl_call* call);
int ccl_end_group(const struct ccl_api* api);
int ccl_register(const struct ccl_object* object, void* memory);

/* Handles are (generation, index), never 0, never an address; all thread-safe. 0: out of memory. */
int64_t handle_new(const struct ccl_object* object);
bool handle_get(int64_t handle, struct ccl_object* object);
/* What an object is used for: QUESTION waits for nobody, CALL may wait for other members for ever. */
enum ccl_use { QUESTION, CALL, USES };
/* As handle_get, and the object is in use until handle_leave. */
bool handle_enter(int64_t handle, enum ccl_use use, struct ccl_object* object);
void handle_leave(int64_t handle, enum ccl_use use);
/* As handle_get, and the handle is no more, but for those that have entered; of several callers one wins. */
bool handle_take(int64_t handle, struct ccl_object* object);
/*
 * Until all have left that had entered before handle_take; those in a CALL, at most `patience_ms` more. A library frees what
 * they still use, so who ends a communicator waits; but a call may be stuck, and only the end brings it back. A question
 * comes back by itself, however late its thread is let run: after a minute it counts as stuck, too.
 */
bool handle_await_leaving(int64_t handle, int patience_ms);

#endif
