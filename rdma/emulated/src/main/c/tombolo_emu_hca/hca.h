// SPDX-License-Identifier: Apache-2.0
/*
 * What the emulated HCA is made of. Start at engine.c, which is "the NIC": one thread for each open context, which takes
 * requests from send queues, exchanges packets with other NICs, and places what arrives.
 *
 * All objects of a context are guarded by the context's lock. Functions here want it held unless they say otherwise.
 */
#ifndef HCA_H
#define HCA_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "names.h"
#include "packet.h"
#include "profile.h"
#include "settings.h"

/* What a caller of the library may use. */
#define HCA_VERB __attribute__((visibility("default")))

enum { HCA_MAX_SGE = 8, HCA_BUCKETS = 256, HCA_MAX_READS = 16 };
enum { HCA_MAX_MESSAGE = 1 << 30 };

typedef struct hca_context hca_context;
typedef struct hca_qp hca_qp;

/* ---- memory: keys to what peers and requests may touch (memory.c, window.c) ---- */

typedef struct hca_region {
  struct ib_mr base;
  unsigned char* bytes; /* where the NIC reads and writes */
  uint64_t iova;        /* what requests and peers call the first byte */
  unsigned access;
  int windows; /* bound to it */
  void* mapping; /* of a dma-buf, else NULL */
  size_t mapped;
  struct emu_posted* posted; /* where the device wants a flush before it sees what peers write, else NULL */
} hca_region;

typedef struct hca_window {
  struct ib_mw base;
  hca_region* region; /* NULL while it is not bound */
  uint64_t start;
  uint64_t length;
  unsigned access;
} hca_window;

/* What a key's upper 24 bits stand for; its lower 8 change with every use of the slot, so that old keys are no keys. */
typedef struct hca_key {
  hca_region* region;
  hca_window* window;
  uint8_t tag;
} hca_key;

/* One more object of `pd`, or one less. */
void hca_use_domain(struct ib_pd* pd, int change);

/* A new key for `region` or `window`; 0 without memory. */
uint32_t hca_key_new(hca_context* context, hca_region* region, hca_window* window);

/* What follows `tag`: 8 bits, as with mlx5, hns and irdma (ibv_inc_rkey), or fewer, so that a test meets them again. */
uint8_t hca_next_tag(uint8_t tag);

/* From now on `key` is the key of its slot, and what was before is none. */
void hca_key_set(hca_context* context, uint32_t key);

void hca_key_drop(hca_context* context, uint32_t key);

/* Where the NIC finds [address, address + length) of a request's own memory, or of what peers may touch; NULL if the key,
   the range or `access` is wrong. */
unsigned char* hca_local(hca_context* context, struct ib_pd* pd, uint32_t lkey, uint64_t address, size_t length,
                         unsigned access);
unsigned char* hca_remote(hca_context* context, struct ib_pd* pd, uint32_t rkey, uint64_t address, size_t length,
                          unsigned access);

/* The region that a valid remote key leads to. */
hca_region* hca_region_of(hca_context* context, uint32_t rkey);

/* Do a window's or a region's rights cover the range? Binds `window`; false if they do not. */
bool hca_window_bind(hca_window* window, const struct ib_mw_bind_info* to);

/* ---- completions (completion.c) ---- */

typedef struct hca_cqe {
  struct ib_wc wc;
  hca_qp* qp;
  unsigned retires; /* send requests whose room is free once this is polled */
} hca_cqe;

typedef struct hca_cq {
  struct ib_cq base;
  hca_cqe* ring;
  unsigned depth;
  unsigned head;
  atomic_uint count;
  bool is_armed;
  bool only_solicited;
  bool is_overrun;
  int users; /* queue pairs */
  unsigned events; /* given out and not acknowledged */
  unsigned rung;   /* not given out yet */
  struct hca_cq* next_rung;
} hca_cq;

void hca_cq_push(hca_cq* cq, const hca_cqe* entry, bool is_solicited);

/* Forgets what `qp` left there. */
void hca_cq_forget(hca_cq* cq, const hca_qp* qp);

int hca_poll_cq(struct ib_cq* cq, int entries, struct ib_wc* wc);
int hca_req_notify_cq(struct ib_cq* cq, int solicited_only);

/* ---- receive queues (receive.c) ---- */

typedef struct hca_receive {
  uint64_t id;
  int pieces;
  struct ib_sge sge[HCA_MAX_SGE];
} hca_receive;

typedef struct hca_receive_queue {
  hca_receive* ring;
  unsigned depth;
  unsigned max_sge;
  unsigned head;
  unsigned count;
} hca_receive_queue;

typedef struct hca_srq {
  struct ib_srq base;
  hca_receive_queue queue;
  unsigned limit; /* 0: no event wanted */
  int users;
} hca_srq;

bool hca_receive_queue_make(hca_receive_queue* queue, unsigned depth, unsigned max_sge);
int hca_post_recv(struct ib_qp* qp, struct ib_recv_wr* wr, struct ib_recv_wr** bad);
int hca_post_srq_recv(struct ib_srq* srq, struct ib_recv_wr* wr, struct ib_recv_wr** bad);

/* Takes the next receive entry of the pair's own or shared queue; false if there is none. */
bool hca_take_receive(hca_qp* qp, hca_receive* taken);

/* Room in an entry, in bytes. */
size_t hca_receive_room(const hca_receive* receive);

/* ---- queue pairs (queue_pair.c, states.c) ---- */

typedef struct hca_peer {
  struct sockaddr_un name;
  socklen_t bytes;
  union ib_gid gid;  /* by which it is called; of a global route only */
  bool from_new_gid; /* the way there was made when the sender's interface had got another address */
} hca_peer;

typedef struct hca_request {
  struct ib_send_wr wr;
  struct ib_sge sge[HCA_MAX_SGE];
  unsigned char inline_data[HCA_MAX_INLINE];
  size_t length;
  bool is_signalled;
  bool is_begun;   /* has psns */
  bool is_binding; /* until resume_ns */
  uint32_t psn;
  uint32_t packets;
  uint32_t read; /* packets of the answer that have come */
  bool asked_again;
} hca_request;

/* A peer's read, being answered. */
typedef struct hca_answer {
  uint64_t address;
  uint64_t left;
  uint32_t rkey;
  uint32_t psn;
  bool is_begun;
} hca_answer;

/* What the responder has to tell the requester. */
typedef struct hca_reply {
  bool is_due;
  uint8_t syndrome;
  uint32_t psn;
} hca_reply;

struct hca_qp {
  struct ib_qp base;
  hca_qp* next;
  void (*fail)(hca_qp* qp, int event); /* hca_qp_fail, for what a queue pair is made of and so does not know it */
  int socket;
  struct ib_qp_attr attr;
  struct ib_qp_cap cap;
  bool signals_all;
  uint32_t mtu;
  hca_peer peer;
  bool reaches_peer; /* the route leads to a port of this kind of network */
  int late_event;    /* what is to be said of its end yet */
  int64_t event_ns;  /* when; 0: nothing is */
  uint64_t drawn;    /* packets whose fate was drawn; see network.c */
  int fate;

  /* requester */
  hca_request* requests;
  unsigned first;     /* the oldest that is not complete */
  unsigned count;     /* not complete */
  unsigned sent;      /* of these, sent whole */
  uint32_t packet;    /* of the next one: packets sent */
  unsigned held;      /* requests whose room is not free: not complete, or their completion not polled */
  unsigned to_retire; /* complete, and no completion has told so yet */
  uint32_t next_psn;
  uint32_t unacknowledged;
  unsigned retries;
  unsigned rnr_retries;
  int64_t timeout_ns; /* when to resend; 0: nothing is out */
  int64_t resume_ns;  /* the peer was not ready: not before */

  /* responder */
  hca_receive_queue receives;
  hca_receive taken;
  bool has_taken;
  uint32_t expected;
  bool is_open; /* a message has begun and not ended */
  uint8_t open_kind;
  uint64_t open_bytes;
  uint64_t open_address;
  uint32_t open_rkey;
  bool has_asked; /* for what is missing */
  hca_reply reply;
  hca_answer answers[HCA_MAX_READS];
  unsigned first_answer;
  unsigned answer_count;
};

hca_qp* hca_qp_find(hca_context* context, uint32_t number);

/* To the error state: all that is posted completes as flushed. `event` is told unless negative. */
void hca_qp_fail(hca_qp* qp, int event);

/* Tells the event that is due by `now_ns`, if one is to come late; when one is, or INT64_MAX. */
int64_t hca_late_event(hca_qp* qp, int64_t now_ns);

/* A send went wrong here: that request completes with `status`, and the pair takes no more. */
void hca_qp_fail_send(hca_qp* qp, int status);

/* Completes the oldest request. */
void hca_request_complete(hca_qp* qp, int status);

/* Completes a receive entry. */
void hca_receive_complete(hca_qp* qp, const hca_receive* receive, struct ib_wc wc, bool is_solicited);

/* May `qp` go from its state to attr's with this mask? 0 or EINVAL. Pure. */
int hca_check_transition(int type, int from, int to, int mask);

int hca_post_send(struct ib_qp* qp, struct ib_send_wr* wr, struct ib_send_wr** bad);
int hca_bind_mw(struct ib_qp* qp, struct ib_mw* mw, struct ib_mw_bind* bind);
struct ib_mw* hca_alloc_mw(struct ib_pd* pd, int type);
int hca_dealloc_mw(struct ib_mw* mw);

/* ---- the network (network.c) ---- */

typedef struct hca_packet_held hca_packet_held;

typedef struct hca_ah {
  struct ib_ah base;
  struct ib_ah_attr attr;
  struct hca_port port;
  bool reaches;
  bool from_new_gid;
} hca_ah;

enum { HCA_RETRY_NS = 20000 }; /* until a receiver that is too far behind is tried again */
enum hca_sent { HCA_SENT, HCA_BLOCKED };

/* The socket where queue pair `number` of this port listens; -1 if the number is taken (EADDRINUSE) or none can be had. */
int hca_listen(const hca_context* context, uint32_t number);

/* Where a route leads; false if to nowhere. */
bool hca_route(const hca_context* context, const struct ib_ah_attr* route, struct hca_port* port);

/* Queue pair `number` of `port`, to which `route` leads. */
void hca_peer_make(const hca_context* context, struct hca_port port, uint32_t number, const struct ib_ah_attr* route,
                   bool from_new_gid, hca_peer* peer);

/* Does what has come reach its pair? Not if the port is down; nor over Ethernet if it was sent to the one of the
   interface's two addresses that this has not now. */
bool hca_comes_through(const hca_context* context, const struct hca_header* header);

/* Sends, loses, duplicates or holds back; HCA_BLOCKED if the receiver is too far behind: try again. */
enum hca_sent hca_send(hca_qp* qp, const hca_peer* to, struct hca_header* header, const void* payload);

/* Sends what was held back and is due; returns when the next is, or INT64_MAX. */
int64_t hca_send_held(hca_context* context);

void hca_drop_held(hca_context* context);

/* ---- protocol (requester.c, responder.c, datagram.c) ---- */

enum hca_step { HCA_IDLE, HCA_WENT_ON, HCA_WAITS };

/* Sends at most one packet of the send queue, or of what is owed to the peer. */
enum hca_step hca_request_step(hca_qp* qp);
enum hca_step hca_reply_step(hca_qp* qp);
enum hca_step hca_datagram_step(hca_qp* qp);

/* What came. */
void hca_on_reply(hca_qp* qp, const struct hca_header* header, const unsigned char* payload);
void hca_on_request(hca_qp* qp, const struct hca_header* header, const unsigned char* payload);
void hca_on_datagram(hca_qp* qp, const struct hca_header* header, const unsigned char* payload);

/* Resends what was not acknowledged in time. Returns when to look again, or INT64_MAX. */
int64_t hca_request_timer(hca_qp* qp, int64_t now_ns);

/* Copies between a request's pieces and one run of bytes, from `offset`; false if a key does not allow it. */
bool hca_gather(hca_qp* qp, const hca_request* request, size_t offset, unsigned char* to, size_t length);
bool hca_scatter(hca_qp* qp, const struct ib_sge* sge, int pieces, size_t offset, const unsigned char* from,
                 size_t length);

/* ---- the context (context.c, device.c, engine.c, event.c) ---- */

struct hca_context {
  struct ib_context base;
  struct hca_port port;
  char fabric[HCA_FABRIC_BYTES];
  bool is_infiniband;
  uint32_t mtu; /* bytes: no packet is longer */
  const hca_profile* profile;
  int windows; /* made */
  hca_context* next;
  pthread_mutex_t lock;
  pthread_t engine;
  int epoll;
  int doorbell;
  int timer;
  int wire; /* for packets that were held back */
  int events_in;
  bool is_asleep;
  bool is_stopping;
  bool is_up;
  bool is_dead;     /* by a reset, for good */
  _Atomic int64_t silent_ns; /* since when it does nothing that it is told; 0: it does, or is dead */
  int64_t down_ns;  /* since when its port is down, if that ends by itself; 0: it is not */
  bool has_new_gid; /* its interface has another address than it had */
  int64_t packets;
  uint32_t breaks; /* the number of the pair that has sent the packet of which it is to break, else 0 */
  int objects; /* what must be gone before the context goes */
  hca_key* keys;
  uint32_t key_count;
  hca_qp* pairs[HCA_BUCKETS];
  hca_packet_held* held;
};

/*
 * May one more object be made? Not the one that a test wants to fail, which gets ENOMEM. Every call that makes something
 * asks first.
 */
bool hca_may_make(void);

/*
 * Does what is asked for fail with EIO, and change nothing? As the kernel answers of a device that it is about to take
 * away, or that does not answer. Every call that changes or destroys something which the kernel knows asks first. It
 * takes no lock.
 */
bool hca_refuses(hca_context* context);

/* A NIC is about to read or write memory of this process by itself. */
void hca_registers_memory(void);

/* One more object of the context itself, or one less. */
void hca_own(hca_context* context, int change);

/* What the end of an object comes to: of a device that was taken away, the kernel says that it is gone with it. */
int hca_end(const hca_context* context);

/* One more object of any kind is alive, or one less. Takes no lock. */
void hca_count(int change);

/* Starts and ends the NIC's thread; ending waits for it, without the lock. */
int hca_engine_start(hca_context* context);
void hca_engine_stop(hca_context* context);

/* Tells the NIC that there is something to do. */
void hca_ring(hca_context* context);

/* The NIC's thread runs, and hears of changed settings from now on; or no longer does. */
void hca_context_open(hca_context* context);
void hca_context_shut(hca_context* context);

/* Visits all open NICs, each under its lock. */
void hca_for_all_open(void (*visit)(hca_context* context));

/* Notices whether the port's state or its GIDs have changed, or the device is silent or dead; when to look again, or
   INT64_MAX. */
int64_t hca_port_check(hca_context* context);

/* Breaks the queue pair that is to break by itself; not while one sends, as that goes on with what was flushed then. */
void hca_pair_check(hca_context* context);

/* Queues an asynchronous event. */
void hca_event(hca_context* context, int type, void* element);

int64_t hca_now_ns(void);

void hca_lock(hca_context* context);
void hca_unlock(hca_context* context);

static inline hca_context* hca_of(struct ib_context* context) { return (hca_context*)context; }

static inline hca_context* hca_context_of(const hca_qp* qp) { return hca_of(qp->base.context); }

static inline bool hca_is_silent(hca_context* context) { return atomic_load(&context->silent_ns) != 0; }

#endif
