// SPDX-License-Identifier: Apache-2.0
/*
 * A communicator of processes on this host: the engine of the host's collective library, and of every emulated one.
 *
 * Members meet at an abstract Unix socket that the unique id names, and share one anonymous segment, so nothing is left
 * behind however they die. Knows neither devices nor vendors: a facade turns a library's numbers and addresses into a
 * struct engine_call. Members combine in rank order, so every result is the same bits everywhere and every time.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ENGINE_ID_BYTES = 128, ENGINE_MAX_RANKS = 64 };

enum engine_result {
  ENGINE_OK,
  ENGINE_SYSTEM,   /* a call to the system failed */
  ENGINE_ARGUMENT, /* an argument makes no sense */
  ENGINE_USAGE,    /* members disagree, or calls come in the wrong order */
  ENGINE_REMOTE,   /* another member is gone */
  ENGINE_INTERNAL,
  ENGINE_DEVICE, /* the device runtime refused */
  ENGINE_WRITTEN, /* of the host's library: the call has failed, and another member may still write its buffers */
  ENGINE_RESULTS
};

/* The numbers of io.tombolo.base.DataType. */
enum engine_type {
  ENGINE_I8,
  ENGINE_U8,
  ENGINE_I16,
  ENGINE_U16,
  ENGINE_I32,
  ENGINE_U32,
  ENGINE_I64,
  ENGINE_U64,
  ENGINE_F16,
  ENGINE_BF16,
  ENGINE_F32,
  ENGINE_F64,
  ENGINE_BOOL,
  ENGINE_F8E4M3,
  ENGINE_F8E5M2,
  ENGINE_TYPES
};

/* The numbers of io.tombolo.base.ReduceOp. */
enum engine_op {
  ENGINE_SUM,
  ENGINE_PROD,
  ENGINE_MIN,
  ENGINE_MAX,
  ENGINE_AVG,
  ENGINE_BAND,
  ENGINE_BOR,
  ENGINE_BXOR,
  ENGINE_OPS
};

enum engine_collective {
  ENGINE_ALL_REDUCE,
  ENGINE_REDUCE,
  ENGINE_BROADCAST,
  ENGINE_REDUCE_SCATTER,
  ENGINE_ALL_GATHER,
  ENGINE_ALL_TO_ALL,
  ENGINE_GATHER,
  ENGINE_SCATTER,
  ENGINE_SEND, /* from here on between two members */
  ENGINE_RECEIVE
};

/* One member's part in one operation. Addresses are host addresses; count is the vendor API's own count argument. */
struct engine_call {
  enum engine_collective what;
  const void* send;
  void* receive;
  size_t count;
  enum engine_type type;
  enum engine_op op;
  int root; /* the peer of a send or receive */
};

/* A call's place: in its communicator's order, and in the order of all communicators of the process. */
struct engine_ticket {
  uint64_t in_comm;
  uint64_t in_process;
};

struct engine_comm;

/* Fills `id` with a new name and secret. */
enum engine_result engine_unique_id(unsigned char id[ENGINE_ID_BYTES]);

/* Joins as `rank` of `size`; blocks until all came, at most engine_join_timeout_ns. */
enum engine_result engine_join(struct engine_comm** comm, const unsigned char id[ENGINE_ID_BYTES], int rank, int size);

/* Reserves the next place in the order of calls, and a reference, for engine_run; under the lock below. */
struct engine_ticket engine_ticket(struct engine_comm* comm);

/* Takes back the newest ticket, for a call that could not be queued; only under the same lock as its taking. */
void engine_return_ticket(struct engine_comm* comm, struct engine_ticket ticket);

/* Holds off other threads' tickets, so that calls are queued in the order of their tickets. */
void engine_lock(struct engine_comm* comm);
void engine_unlock(struct engine_comm* comm);

/*
 * Does the call of `ticket` once it is its turn: one collective, or `count` sends and receives that go forward side by
 * side. Blocks until done, failed or aborted, and drops the reference.
 */
enum engine_result engine_run(struct engine_comm* comm, struct engine_ticket ticket, const struct engine_call* calls, int count);

/*
 * As engine_run, for what a library has its members do together that is no call: `work` with `context`. It is given the
 * communicator only while that is sound; an error of it is the communicator's.
 */
typedef enum engine_result (*engine_work)(struct engine_comm* comm, void* context);
enum engine_result engine_run_work(struct engine_comm* comm, struct engine_ticket ticket, engine_work work, void* context);

/* What went wrong since the join, here or at a member that gave up. */
enum engine_result engine_async_error(struct engine_comm* comm);

int engine_rank(const struct engine_comm* comm);
int engine_size(const struct engine_comm* comm);

/* Lets go of the communicator; calls already queued still finish. */
void engine_destroy(struct engine_comm* comm);

/* Releases everyone of this process who waits in the communicator, tells the other members, and lets go of it. */
void engine_abort(struct engine_comm* comm);

/* Bytes of one element. */
size_t engine_type_bytes(enum engine_type type);

/* Elements of `call->send` and `call->receive` that member `rank` of `size` reads and writes. */
size_t engine_send_count(const struct engine_call* call, int rank, int size);
size_t engine_receive_count(const struct engine_call* call, int rank, int size);

/* The last error of the calling thread, in words. */
const char* engine_last_error(void);

/* Notes `result` with the words that format makes, for engine_last_error; returns `result`. */
enum engine_result engine_error(enum engine_result result, const char* format, ...) __attribute__((format(printf, 2, 3)));

/*
 * What a library around the engine decides for itself. The host's library is plain; the emulations have quirks and
 * faults.
 */

/* The library's version: major * 10000 + minor * 100 + patch. */
enum engine_result engine_version(int* version);

/* How long a join may take. */
int64_t engine_join_timeout_ns(void);

/* Whether members may read and write each other's memory where the system allows it; else everything goes through the slots. */
bool engine_wants_direct(void);

/* Before a join; may take its time. */
void engine_before_join(void);

/* After a join, with all members there: what the library needs beside the segment. An error is the join's. */
enum engine_result engine_after_join(struct engine_comm* comm);

/* Before a communicator goes: gives back what engine_after_join took, which may have failed. */
void engine_before_release(struct engine_comm* comm);

/* Before the nth work (counted from 1) of the communicator, in its turn: `count` calls. An error is the work's. */
enum engine_result engine_before_work(struct engine_comm* comm, uint64_t nth, const struct engine_call* calls, int count);

/* One collective, in its turn. */
enum engine_result engine_perform(struct engine_comm* comm, const struct engine_call* call);

/* Some sends and receives, side by side, in their turn; blocks until every one has met its other half. */
enum engine_result engine_transfers(struct engine_comm* comm, const struct engine_call* calls, int count);

/* Arithmetic: destination[i] = a[i] op b[i], where AVG adds; and values[i] /= divisor, the last step of AVG. */
void engine_combine(void* destination, const void* a, const void* b, size_t count, enum engine_type type, enum engine_op op);
void engine_divide(void* values, size_t count, enum engine_type type, int divisor);

/*
 * An order of all communicators of the process: a place in it, under a lock that is held until the work is queued; the
 * wait for its turn; its end. The plain library has none, and it is always everyone's turn.
 */
void engine_order_lock(void);
void engine_order_unlock(void);
uint64_t engine_order_take(void);
void engine_order_return(uint64_t place);
void engine_order_await(const struct engine_comm* comm, uint64_t place);
void engine_order_end(uint64_t place);
void engine_order_wake(void);

#endif
