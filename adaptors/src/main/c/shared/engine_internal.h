// SPDX-License-Identifier: Apache-2.0
/* What the engine's own files share: the segment that all members map, and the communicator. */
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine.h"

enum {
  ENGINE_SLOT_BYTES = 1024 * 1024,
  ENGINE_PIECE_BYTES = 256 * 1024, /* of a slot, where whoever reads it should find it in the cache; others get no memory */
  ENGINE_SLOTS_PER_RANK = 2,
  ENGINE_CHUNK_BYTES = 64 * 1024,
  ENGINE_NOTE_BYTES = 112
};

/* What a step is, and small contributions to it, on lines that go to another processor together. */
struct engine_note {
  _Alignas(128) _Atomic uint32_t stamp; /* the step, modulo 2^32; written last */
  uint64_t meaning;                     /* what the member believes the step to be */
  unsigned char data[ENGINE_NOTE_BYTES];
};

/* What one member tells the others; on cache lines of its own. */
struct engine_member {
  _Alignas(128) _Atomic uint32_t arrived; /* steps it has published, modulo 2^32: a futex */
  _Atomic uint32_t waiters;               /* how many sleep on `arrived` */
  _Atomic uint32_t gone;                  /* it aborted */
  _Atomic uint32_t bell;                  /* rung by whoever moved a chunk of one of its pairs: a futex */
  _Atomic uint32_t listeners;             /* how many sleep on `bell` */
  const void* send[ENGINE_SLOTS_PER_RANK];         /* addresses in its process, where a step publishes them */
  void* receive[ENGINE_SLOTS_PER_RANK];
  _Atomic uint32_t writing;   /* it writes other members' memory now */
  _Atomic uint32_t withdrawn; /* its memory must not be written any more: its call has failed */
  int32_t process;
  int32_t reaches_all; /* it can read and write everyone's memory */
  struct engine_note notes[ENGINE_SLOTS_PER_RANK];
};

/* The way from one member to another, for sends and receives: one chunk at a time. */
struct engine_pair {
  _Alignas(128) _Atomic uint64_t filled; /* chunks put in */
  _Atomic uint64_t emptied;              /* chunks taken out */
  uint64_t message_bytes;                /* of the message that the chunk belongs to; the receiver expects as many */
  uint64_t message_type;
  unsigned char chunk[ENGINE_CHUNK_BYTES];
  _Atomic uint64_t came; /* of the library around the engine: who has come to be connected, a bit each */
};

struct engine_segment {
  struct engine_member members[ENGINE_MAX_RANKS];
};

struct engine_comm {
  int rank;
  int size;
  struct engine_segment* segment;
  unsigned char* slots;
  struct engine_pair* pairs; /* by sender, then receiver */
  void* extension; /* of the library around the engine */
  uint64_t greeting;
  bool direct;               /* every member can read and write every member's memory */
  bool spinning_helps;       /* the last wait that tried it long ended by it */
  uint32_t waits;
  size_t mapped_bytes;
  uint32_t step; /* published by this member; touched by whoever's turn it is, as what follows */
  bool offered;  /* the last step is the beginning of a call that is still to be made, with this meaning */
  uint64_t offered_meaning;
  _Atomic int references;
  _Atomic bool aborted;
  _Atomic int failure; /* enum engine_result */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t next_ticket;
  uint64_t turn;
};

/* Bytes of the segment for `size` members. */
size_t engine_segment_bytes(int size);

/* Meets the other members; on success *fd is the segment, which the caller closes. */
enum engine_result engine_rendezvous(const unsigned char id[ENGINE_ID_BYTES], int rank, int size, int64_t deadline_ns, int* fd);

/*
 * This member's place for `bytes` in its next step, and member `rank`'s for as many in the step last exchanged: a note if
 * they fit, else a slot.
 */
unsigned char* engine_outbox(struct engine_comm* comm, size_t bytes);
const unsigned char* engine_inbox(const struct engine_comm* comm, int rank, size_t bytes);

/*
 * Publishes the outbox as the next step and waits until everyone has published theirs. `meaning` must be the same at all
 * members. A slot is free again two steps later: by then everyone has published the step between, and so read it.
 * deadline_ns 0 waits until the communicator is aborted.
 */
enum engine_result engine_exchange(struct engine_comm* comm, uint64_t meaning, int64_t deadline_ns);

/*
 * The same in two parts, for who has something to do with each member that has come: publishes the outbox; then, as long as
 * members are `left` (a bit each, at first engine_everyone), waits for one of them, a member that has come already if there is
 * one. Nobody may be left when the next step is published.
 */
void engine_publish(struct engine_comm* comm, uint64_t meaning);
enum engine_result engine_meet_next(struct engine_comm* comm, uint64_t meaning, uint64_t* left, int* rank);

/* The rest of engine_exchange where the step is published: waits until everyone has published theirs. */
enum engine_result engine_meet_all(struct engine_comm* comm, uint64_t meaning, int64_t deadline_ns);

static inline uint64_t engine_everyone(const struct engine_comm* comm) { return UINT64_MAX >> (ENGINE_MAX_RANKS - comm->size); }

/* Everyone has mapped the segment; and do all reach everyone's memory? Then results need no staging (comm->direct). */
enum engine_result engine_get_to_know(struct engine_comm* comm, int64_t deadline_ns);

/* Reads and writes `bytes` of member `rank`'s memory: `from`, and `to`, are addresses of its process. */
enum engine_result engine_read(const struct engine_comm* comm, int rank, void* to, const void* from, size_t bytes);
enum engine_result engine_write(const struct engine_comm* comm, int rank, void* to, const void* from, size_t bytes);

/* Sleeps until the communicator is aborted. */
void engine_await_abort(struct engine_comm* comm);

/* What all members must agree on in a call, at element `offset` of it. */
uint64_t engine_meaning(const struct engine_call* call, size_t offset);

/* Does this member's part in a collective through the slots; blocks. */
enum engine_result engine_collective(struct engine_comm* comm, const struct engine_call* call);

/*
 * Publishes the first step of a collective through the slots, ahead and without waiting: the next collective of this member,
 * which is this one, goes on from there. Others that make it find this member's part. `call->send` is not read after this.
 */
void engine_begin_collective(struct engine_comm* comm, const struct engine_call* call);

/* What this member's bell shows; tells member `rank` to look at its pairs; waits a while for the bell to change. */
uint32_t engine_bell(const struct engine_comm* comm);
void engine_ring(struct engine_comm* comm, int rank);
void engine_listen(struct engine_comm* comm, uint32_t seen);

/* Wakes every thread of this host that sleeps in the segment, to look again. */
void engine_wake_all(struct engine_comm* comm);

/* Nanoseconds of the monotonic clock. */
int64_t engine_now_ns(void);

#endif
