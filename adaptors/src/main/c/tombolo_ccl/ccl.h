/*
 * One vendor's collective library, opened by dlopen and called through the table of its entry points.
 *
 * Nothing here knows a vendor: names and numbers come from Java's CclDialect rows. What differs between libraries in C
 * is the shape of a call, and there is one function per shape.
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
  ALL_TO_ALL,
  GATHER,
  SCATTER,
  GET_ERROR_STRING,
  GET_LAST_ERROR,
  ENTRIES
};

/* The codes of io.tombolo.adaptors.ccl.CallShape. */
enum shape { NCCL_SHAPE, ONECCL_SHAPE, SHAPES };

enum { MOST_ID_BYTES = 4096 };

struct ccl_api {
  enum shape shape;
  void* entries[ENTRIES]; /* NULL: not declared, or not there */
};

/* What a handle stands for: a library, or a communicator with its library's table. */
struct ccl_object {
  struct ccl_api api;
  void* communicator; /* NULL: a library */
};

/* From now on `library`, opened by dlopen, can read but not change what signals do to this process. */
bool ccl_keep_signals(void* library);

/* Bytes of a unique id in this shape. */
size_t ccl_id_bytes(enum shape shape);

/* Joins a communicator; the library's result code. */
int ccl_join(const struct ccl_api* api, void** communicator, const void* id, int rank, int size);

/* The copy of one of `candidates` (NULL-terminated) that the process has loaded; NULL if there is none. */
void* ccl_loaded(const char* const* candidates);

/*
 * Finds the first of `candidates` (NULL-terminated): a copy that is loaded already, else one that can be opened, after
 * opening `dependencies` in order. Libraries stay loaded for the life of the process: vendors' libraries leave threads
 * and exit handlers behind. NULL: `problem` says why.
 */
void* ccl_open(const char* const* candidates, const char* const* dependencies, char* problem, size_t problem_bytes);

/* Handles are (generation, index), never 0, never an address; all thread-safe. 0: out of memory. */
int64_t handle_new(const struct ccl_object* object);
bool handle_get(int64_t handle, struct ccl_object* object);
/* As handle_get, and the handle is no more; of several callers one wins. */
bool handle_take(int64_t handle, struct ccl_object* object);

#endif
