// SPDX-License-Identifier: Apache-2.0
/*
 * Work requests and completions as Java lays them out off-heap: fixed records, native byte order.
 *
 * A call takes any number of records; the library is entered once per WORK_BATCH of them.
 */
#ifndef TOMBOLO_VERBS_WORK_H
#define TOMBOLO_VERBS_WORK_H

#include "abi.h"

enum { WORK_BATCH = 32 };

/* send_record.opcode */
enum { WORK_WRITE, WORK_WRITE_WITH_IMM, WORK_SEND, WORK_SEND_WITH_IMM, WORK_READ, WORK_OPCODES };

/* send_record.flags */
enum { WORK_SIGNALLED = 1, WORK_INLINE = 2, WORK_FENCE = 4, WORK_SOLICITED = 8 };

typedef struct send_record {
  uint64_t id;
  uint64_t address;
  uint64_t remote_address;
  int64_t peer; /* handle of the address to send to, for UD */
  uint32_t length;
  uint32_t local_key;
  uint32_t remote_key;
  uint32_t immediate; /* host order */
  uint32_t remote_qpn;
  uint32_t remote_qkey;
  uint8_t opcode;
  uint8_t flags;
  uint8_t reserved[6];
} send_record;

typedef struct receive_record {
  uint64_t id;
  uint64_t address;
  uint32_t length;
  uint32_t local_key;
} receive_record;

typedef struct completion_record {
  uint64_t id;
  uint32_t status; /* as the library numbers them; 0 is success, and all else but id and qpn is undefined otherwise */
  uint32_t bytes;
  uint32_t immediate; /* host order */
  uint32_t qpn;
  uint32_t source_qpn;
  uint32_t vendor_code;
  uint32_t has_immediate;
  uint32_t reserved;
} completion_record;

_Static_assert(sizeof(send_record) == 64, "one cache line");
_Static_assert(sizeof(receive_record) == 24, "as ReceiveRequests.java has it");
_Static_assert(sizeof(completion_record) == 40, "as WorkCompletions.java has it");

/* Posts `count` records; how many were taken, or -errno if the first was not. UD requests name their peer. */
int work_send(struct vb_qp* qp, const send_record* records, int count, int is_datagram);

/* As above, for the receive queue of `qp`. */
int work_receive(struct vb_qp* qp, const receive_record* records, int count);

/* As above, for a shared receive queue. */
int work_receive_shared(struct vb_srq* srq, const receive_record* records, int count);

/* Takes up to `most` completions; how many, or -errno. */
int work_poll(struct vb_cq* cq, completion_record* records, int most);

#endif
