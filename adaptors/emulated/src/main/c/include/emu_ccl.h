/*
 * The collective engine behind every emulated vendor library: one communicator of processes on this host.
 *
 * Members meet at an abstract Unix socket that the unique id names, and share one anonymous segment, so nothing is left
 * behind however they die. Knows neither devices nor vendors: a facade turns a vendor's numbers and addresses into a
 * struct emu_call. Members combine in rank order, so every result is the same bits everywhere and every time.
 */
#ifndef EMU_CCL_H
#define EMU_CCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EMU_ID_BYTES = 128, EMU_MAX_RANKS = 64 };

enum emu_result {
  EMU_OK,
  EMU_SYSTEM,   /* a call to the system failed */
  EMU_ARGUMENT, /* an argument makes no sense */
  EMU_USAGE,    /* members disagree, or calls come in the wrong order */
  EMU_REMOTE,   /* another member is gone */
  EMU_INTERNAL,
  EMU_DEVICE, /* the device runtime refused */
  EMU_RESULTS
};

enum emu_type {
  EMU_I8,
  EMU_U8,
  EMU_I32,
  EMU_U32,
  EMU_I64,
  EMU_U64,
  EMU_F16,
  EMU_BF16,
  EMU_F32,
  EMU_F64,
  EMU_F8E4M3,
  EMU_F8E5M2,
  EMU_TYPES
};

enum emu_op { EMU_SUM, EMU_PROD, EMU_MIN, EMU_MAX, EMU_AVG, EMU_OPS };

enum emu_collective {
  EMU_ALL_REDUCE,
  EMU_REDUCE,
  EMU_BROADCAST,
  EMU_REDUCE_SCATTER,
  EMU_ALL_GATHER,
  EMU_ALL_TO_ALL,
  EMU_GATHER,
  EMU_SCATTER,
  EMU_SEND, /* from here on between two members */
  EMU_RECEIVE
};

/* One member's part in one operation. Addresses are host addresses; count is the vendor API's own count argument. */
struct emu_call {
  enum emu_collective what;
  const void* send;
  void* receive;
  size_t count;
  enum emu_type type;
  enum emu_op op;
  int root; /* the peer of a send or receive */
};

/* A call's place: in its communicator's order, and in the order of all communicators of the process. */
struct emu_ticket {
  uint64_t in_comm;
  uint64_t in_process;
};

struct emu_comm;

/* Fills `id` with a new name and secret. */
enum emu_result emu_ccl_unique_id(unsigned char id[EMU_ID_BYTES]);

/* Joins as `rank` of `size`; blocks until all came, at most TOMBOLO_EMU_INIT_TIMEOUT_MS (default 60 000). */
enum emu_result emu_ccl_join(struct emu_comm** comm, const unsigned char id[EMU_ID_BYTES], int rank, int size);

/* Reserves the next place in the order of calls, and a reference, for emu_ccl_run; under the lock below. */
struct emu_ticket emu_ccl_ticket(struct emu_comm* comm);

/* Takes back the newest ticket, for a call that could not be queued; only under the same lock as its taking. */
void emu_ccl_return_ticket(struct emu_comm* comm, struct emu_ticket ticket);

/* Holds off other threads' tickets, so that calls are queued in the order of their tickets. */
void emu_ccl_lock(struct emu_comm* comm);
void emu_ccl_unlock(struct emu_comm* comm);

/*
 * Does the call of `ticket` once it is its turn: one collective, or `count` sends and receives that go forward side by
 * side. Blocks until done, failed or aborted, and drops the reference.
 */
enum emu_result emu_ccl_run(struct emu_comm* comm, struct emu_ticket ticket, const struct emu_call* calls, int count);

/* What went wrong since the join, here or at a member that gave up. */
enum emu_result emu_ccl_async_error(struct emu_comm* comm);

int emu_ccl_rank(const struct emu_comm* comm);
int emu_ccl_size(const struct emu_comm* comm);

/* Lets go of the communicator; calls already queued still finish. */
void emu_ccl_destroy(struct emu_comm* comm);

/* Releases everyone of this process who waits in the communicator, tells the other members, and lets go of it. */
void emu_ccl_abort(struct emu_comm* comm);

/* Bytes of one element. */
size_t emu_type_bytes(enum emu_type type);

/* Elements of `call->send` and `call->receive` that member `rank` of `size` reads and writes. */
size_t emu_send_count(const struct emu_call* call, int rank, int size);
size_t emu_receive_count(const struct emu_call* call, int rank, int size);

/* The last error of the calling thread, in words. */
const char* emu_ccl_last_error(void);

/* Notes `result` with the words that format makes, for emu_ccl_last_error; returns `result`. */
enum emu_result emu_ccl_error(enum emu_result result, const char* format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Whether the environment variable `name` asks for a quirk of this library: it is 1, or among its words, separated by
 * commas, is `vendor`.
 */
bool emu_quirk(const char* name, const char* vendor);

/* The whole number in the environment variable `name`, or `otherwise` when it is unset. */
long emu_setting(const char* name, long otherwise);

#endif
