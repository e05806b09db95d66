/* What the engine's own files share: the segment that all members map, and the communicator. */
#ifndef CCL_INTERNAL_H
#define CCL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "emu_ccl.h"

enum { EMU_SLOT_BYTES = 256 * 1024, EMU_SLOTS_PER_RANK = 2, EMU_CHUNK_BYTES = 64 * 1024 };

/* What one member tells the others; on cache lines of its own. */
struct emu_member {
  _Alignas(128) _Atomic uint32_t arrived; /* steps it has published, modulo 2^32: a futex */
  _Atomic uint32_t waiters;               /* how many sleep on `arrived` */
  _Atomic uint32_t gone;                  /* it aborted */
  _Atomic uint32_t bell;                  /* rung by whoever moved a chunk of one of its pairs: a futex */
  _Atomic uint32_t listeners;             /* how many sleep on `bell` */
  _Atomic uint64_t meaning[EMU_SLOTS_PER_RANK]; /* what it believes the step in each slot to be */
};

/* The way from one member to another, for sends and receives: one chunk at a time. */
struct emu_pair {
  _Alignas(128) _Atomic uint64_t filled; /* chunks put in */
  _Atomic uint64_t emptied;              /* chunks taken out */
  uint64_t message_bytes;                /* of the message that the chunk belongs to; the receiver expects as many */
  uint64_t message_type;
  unsigned char chunk[EMU_CHUNK_BYTES];
};

struct emu_segment {
  struct emu_member members[EMU_MAX_RANKS];
};

struct emu_comm {
  int rank;
  int size;
  struct emu_segment* segment;
  unsigned char* slots;
  struct emu_pair* pairs; /* by sender, then receiver */
  size_t mapped_bytes;
  uint32_t step; /* published by this member; touched by whoever's turn it is */
  _Atomic int references;
  _Atomic bool aborted;
  _Atomic int failure; /* enum emu_result */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t next_ticket;
  uint64_t turn;
};

/* Bytes of the segment for `size` members. */
size_t emu_segment_bytes(int size);

/* Meets the other members; on success *fd is the segment, which the caller closes. */
enum emu_result emu_rendezvous(const unsigned char id[EMU_ID_BYTES], int rank, int size, int64_t deadline_ns, int* fd);

/* This member's slot for its next step, and what member `rank` published in the step last exchanged. */
unsigned char* emu_outbox(struct emu_comm* comm);
const unsigned char* emu_inbox(const struct emu_comm* comm, int rank);

/*
 * Publishes the outbox as the next step and waits until everyone has published theirs. `meaning` must be the same at all
 * members. A slot is free again two steps later: by then everyone has published the step between, and so read it.
 * deadline_ns 0 waits until the communicator is aborted.
 */
enum emu_result emu_exchange(struct emu_comm* comm, uint64_t meaning, int64_t deadline_ns);

/* Does this member's part in a collective; blocks. */
enum emu_result emu_collective(struct emu_comm* comm, const struct emu_call* call);

/* Does `count` sends and receives side by side; blocks until every one has met its other half. */
enum emu_result emu_transfers(struct emu_comm* comm, const struct emu_call* calls, int count);

/* What this member's bell shows; tells member `rank` to look at its pairs; waits a while for the bell to change. */
uint32_t emu_bell(const struct emu_comm* comm);
void emu_ring(struct emu_comm* comm, int rank);
void emu_listen(struct emu_comm* comm, uint32_t seen);

/*
 * The order of all communicators of the process, where TOMBOLO_EMU_SAME_ORDER_ONLY asks for one: a place in it, under
 * a lock that is held until the call is queued; whether its turn has come; the end of it. Without the quirk there is no
 * order, and it is always everyone's turn.
 */
void emu_order_lock(void);
void emu_order_unlock(void);
uint64_t emu_order_take(void);
void emu_order_return(uint64_t place);
void emu_order_await(const struct emu_comm* comm, uint64_t place);
void emu_order_end(uint64_t place);
void emu_order_wake(void);

/* Wakes every thread of this host that sleeps in the segment, to look again. */
void emu_wake_all(struct emu_comm* comm);

/* destination[i] = destination[i] op source[i]; EMU_AVG adds. */
void emu_combine(void* destination, const void* source, size_t count, enum emu_type type, enum emu_op op);

/* Divides by the number of members, the last step of EMU_AVG; integers round towards zero. */
void emu_divide(void* values, size_t count, enum emu_type type, int divisor);

/* Element formats narrower than f32, to and from their bits: round to nearest, ties to even. */
float emu_widen(uint32_t bits, enum emu_type type);
uint32_t emu_narrow(float value, enum emu_type type);

/* Nanoseconds of the monotonic clock. */
int64_t emu_now_ns(void);

#endif
