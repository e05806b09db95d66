// SPDX-License-Identifier: Apache-2.0
/*
 * What the tests of the emulated HCA stand on. They include the real infiniband/verbs.h and use its inline functions, as
 * any program would: none of the emulation's own headers.
 */
#ifndef BENCH_H
#define BENCH_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The emulation's own doors. */
int tombolo_hca_set(const char* name, const char* value);
int64_t tombolo_hca_living(void);

/* Runs a test; a failure names it. */
#define RUN(test) run(#test, test)
void run(const char* name, void (*test)(void));

/* Ends the program, with what did not hold. */
void check(bool holds, const char* what, int64_t detail);

/* Fault `name` is `value` from here on. */
void fault(const char* name, const char* value);
void no_faults(void);

enum { BENCH_DEPTH = 128, BENCH_BYTES = 1 << 20 };

/* One end: a queue pair with its own NIC, completion queue and registered memory. */
struct end {
  struct ibv_context* context;
  struct ibv_pd* pd;
  struct ibv_comp_channel* channel;
  struct ibv_cq* cq;
  struct ibv_srq* srq; /* or NULL */
  struct ibv_qp* qp;
  struct ibv_mr* mr;
  unsigned char* bytes; /* BENCH_BYTES of them */
};

/* An end on NIC `nic`, its pair in the state INIT. */
struct end end_open(int nic, enum ibv_qp_type type, bool has_srq);
void end_close(struct end* end);
void end_close_dead(struct end* end); /* of a device that was reset: its objects are gone with it, and say so */

/* Where peers find a pair: what they would tell each other out of band. */
struct card {
  union ibv_gid gid;
  uint16_t lid;
  uint32_t number;
};

struct card end_card(const struct end* end);

/* INIT to RTS, along a route of the port's kind. For RC: a timeout of 17 ms, and 7 retries. */
void end_connect(struct end* end, struct card to);
void end_activate(struct end* end); /* for UD */

/* Two ends on NICs 0 and 1, connected. */
struct both {
  struct end a;
  struct end b;
};

struct both both_open(enum ibv_qp_type type);
struct both both_open_shared(enum ibv_qp_type type);
void both_close(struct both* both);

/* The same route as an address handle. */
struct ibv_ah* end_address(const struct end* from, struct card to);
struct ibv_ah* end_address_of_class(const struct end* from, struct card to, uint8_t traffic_class);

void fill(unsigned char* bytes, size_t length, unsigned seed);

/* Posts; signalled, with `id`. The local bytes are those at `offset` of the end's memory. */
void post_receive(struct end* end, uint64_t id, size_t offset, uint32_t length);
void post_send(struct end* end, uint64_t id, size_t offset, uint32_t length);
void post_write(struct end* end, uint64_t id, size_t offset, uint32_t length, uint64_t to, uint32_t rkey);
void post_write_imm(struct end* end, uint64_t id, size_t offset, uint32_t length, uint64_t to, uint32_t rkey,
                    uint32_t immediate);
void post_read(struct end* end, uint64_t id, size_t offset, uint32_t length, uint64_t from, uint32_t rkey);

/* Where `end`'s byte `offset` is, for its peer. */
uint64_t at(const struct end* end, size_t offset);

/* The next completion; fails if none comes in 20 s. */
struct ibv_wc next(struct end* end);

/* The same, and it must be `id` with success. */
struct ibv_wc next_well(struct end* end, uint64_t id);

/* No completion for 30 ms. */
void check_silent(struct end* end);

/* The next asynchronous event must be of this type. */
void next_event(struct end* end, enum ibv_event_type type);

void reliable_tests(void);
void unreliable_tests(void);
void datagram_tests(void);
void efa_tests(void);
void memory_tests(void);
void queue_tests(void);
void network_tests(void);

#endif
