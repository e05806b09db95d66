// SPDX-License-Identifier: Apache-2.0
/* What the environment, and tests at run time, ask of the emulated HCA. Thread-safe. */
#ifndef HCA_SETTINGS_H
#define HCA_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

enum { HCA_MAX_NICS = 8, HCA_FABRIC_BYTES = 32 };

/* The machine that is emulated; read once. */
struct hca_machine {
  int nics;
  bool infiniband[HCA_MAX_NICS]; /* else Ethernet */
  int host;
  bool is_railed;
};

const struct hca_machine* hca_machine(void);

/* The name of the network that devices opened now are in; after hca_machine. */
void hca_fabric(char name[HCA_FABRIC_BYTES]);

/* What goes wrong; may change at any time. */
enum hca_fault {
  HCA_PROFILE, /* four bits for each NIC: a number of profile.h */
  HCA_PLAIN_NAMES,
  HCA_MTU,     /* bytes of the longest packet; 0: as many as can be */
  HCA_SEED,
  HCA_LOSS_PPM,
  HCA_DUPLICATE_PPM,
  HCA_REORDER_PPM,
  HCA_STRAY_PPM,
  HCA_STRAY_US,
  HCA_MARK_PPM, /* of the packets that may be marked, those that come with the mark of a long queue */
  HCA_DELAY_US,
  HCA_BIND_US,
  HCA_TAG_BITS, /* of a key that change with its use */
  HCA_MEMLOCK_KIB,
  HCA_NO_DMABUF,
  HCA_INLINE_LIMIT,
  HCA_NO_UC,
  HCA_EVENT_MS,       /* how long after its completions the event of a queue pair that broke comes */
  HCA_BREAK_BY_PEER,  /* a queue pair that breaks by itself says that a request of its peer's broke it */
  HCA_DOWN,           /* bit n: NIC n's port is down */
  HCA_DOWN_MS,        /* until such a port is up again; 0: it never is */
  HCA_FATAL,          /* bit n: NIC n was reset beneath its users */
  HCA_SILENT,         /* bit n: NIC n does nothing that it is told, and does not say so */
  HCA_SILENT_MS,      /* until such a NIC says that it was reset; 0: it never does */
  HCA_EIO_PPM,        /* of the commands that change or destroy something, those that fail with EIO, and no event */
  HCA_GID_CHANGED,    /* bit n: NIC n's interface has another address, and nothing gets through under the old one */
  HCA_BREAK_PAIR,     /* the number of the queue pair of NIC 0 that breaks by itself */
  HCA_BREAK_AFTER,    /* the queue pair of NIC 0 breaks by itself that sends this packet */
  HCA_DOWN_AFTER,     /* NIC 0's port goes down after so many packets */
  HCA_FATAL_AFTER,    /* NIC 0 is reset after so many packets */
  HCA_SILENT_AFTER,   /* NIC 0 falls silent after so many packets */
  HCA_GID_CHANGED_AFTER, /* NIC 0's interface gets another address after so many packets */
  HCA_FAIL_CREATE_AT, /* objects until the one that cannot be made, with it */
  HCA_FAIL_RECEIVE_AT, /* datagrams to NIC 0 until the one whose receive fails, with it */
  HCA_RECEIVES_FIRST, /* what a request breaks has its receives flushed before that request completes */
  HCA_UNRESOLVED,     /* times that the kernel does not find out the Ethernet address of a peer: the call times out */
  HCA_UNRESOLVED_MS,  /* how long such a call takes */
  HCA_FAULTS
};

int64_t hca_fault(enum hca_fault fault);

/* The number of the profile that NIC `nic` has if it is opened now. */
int hca_profile_of_nic(int nic);

/*
 * Sets FABRIC or a fault, such as LOSS_PERCENT (without TOMBOLO_HCA_), as if the environment had said `value`. Returns 0,
 * or EINVAL if there is no such name or no such value.
 */
int hca_set(const char* name, const char* value);

/* One less of `fault`; whether that was the last one. */
bool hca_counts_down(enum hca_fault fault);

/* The same; whether there was one. */
bool hca_spends(enum hca_fault fault);

/* NIC `nic` suffers HCA_DOWN, HCA_FATAL, HCA_SILENT or HCA_GID_CHANGED by itself. */
void hca_strike(enum hca_fault fault, int nic);

/* Whether it does, by itself or as asked for. */
bool hca_is_struck(enum hca_fault fault, int nic);

/* It does not suffer it any more. */
void hca_heal(enum hca_fault fault, int nic);

#endif
