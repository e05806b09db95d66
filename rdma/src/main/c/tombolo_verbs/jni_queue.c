// SPDX-License-Identifier: Apache-2.0
/* Completion queues, queue pairs and the addresses of peers. */
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "jni.h"

/* As Route.java lays them out. */
enum { PORT, SOURCE_GID, REMOTE_LID, SERVICE_LEVEL, FLOW_LABEL, IS_GLOBAL, TRAFFIC_CLASS, HOP_LIMIT, ROUTE_LENGTH };

/* As PairOptions.java lays them out. */
enum { MTU, REMOTE_QPN, RECEIVE_PSN, SEND_PSN, TIMEOUT, RETRIES, RNR_RETRIES, MIN_RNR_TIMER, READS, OPTIONS_LENGTH };

ENTRY(jlong, createEvents0)(JNIEnv* env, jclass type, jlong context) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(context, CONTEXT);
  if (entry == NULL) return -EBADF;
  errno = 0;
  struct vb_comp_channel* channel = entry->library->create_comp_channel(entry->object);
  if (channel == NULL) return failure();
  int fd = ((struct vb_comp_channel_head*)channel)->fd;
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    jlong problem = failure();
    (void)entry->library->destroy_comp_channel(channel);
    return problem;
  }
  return handle_new(EVENTS, entry->library, channel);
}

ENTRY(jint, eventsDescriptor0)(JNIEnv* env, jclass type, jlong events) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(events, EVENTS);
  return entry == NULL ? -EBADF : ((struct vb_comp_channel_head*)entry->object)->fd;
}

/* Takes and acknowledges all completion events there are; how many, or -errno. */
ENTRY(jlong, takeEvents0)(JNIEnv* env, jclass type, jlong events) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(events, EVENTS);
  if (entry == NULL) return -EBADF;
  jlong taken = 0;
  struct vb_cq* cq;
  void* user;
  errno = 0;
  while (entry->library->get_cq_event(entry->object, &cq, &user) == 0) {
    entry->library->ack_cq_events(cq, 1);
    taken++;
  }
  return errno == EAGAIN || errno == 0 ? taken : failure();
}

/* Waits until a completion event is there; 1, 0 when the time is over, or -errno. */
ENTRY(jlong, awaitEvent0)(JNIEnv* env, jclass type, jlong events, jint timeout_ms) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(events, EVENTS);
  if (entry == NULL) return -EBADF;
  struct pollfd on = {.fd = ((struct vb_comp_channel_head*)entry->object)->fd, .events = POLLIN};
  int ready = poll(&on, 1, timeout_ms);
  return ready < 0 ? (errno == EINTR ? 0 : failure()) : ready;
}

/* `events` is 0 for a queue that raises none. */
ENTRY(jlong, createCompletions0)(JNIEnv* env, jclass type, jlong context, jint depth, jlong events) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(context, CONTEXT);
  const handle_entry* raises = events == 0 ? NULL : handle_find(events, EVENTS);
  if (entry == NULL || (events != 0 && raises == NULL)) return -EBADF;
  errno = 0;
  return made(COMPLETIONS, entry->library,
              entry->library->create_cq(entry->object, depth, NULL, raises == NULL ? NULL : raises->object, 0));
}

/* Asks for an event with the next completion. */
ENTRY(jlong, arm0)(JNIEnv* env, jclass type, jlong completions) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(completions, COMPLETIONS);
  if (entry == NULL) return -EBADF;
  struct vb_cq* cq = entry->object;
  return outcome(cq->context->ops.req_notify_cq(cq, 0));
}

ENTRY(jlong, createSharedReceives0)(JNIEnv* env, jclass type, jlong domain, jint depth) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(domain, DOMAIN);
  if (entry == NULL) return -EBADF;
  struct vb_srq_init_attr attr = {.max_wr = (uint32_t)depth, .max_sge = 1};
  errno = 0;
  return made(SHARED_RECEIVES, entry->library, entry->library->create_srq(entry->object, &attr));
}

/* Into `given`: the number of the pair, and how many bytes it sends inline. */
static void describe_pair(JNIEnv* env, const struct vb_qp* qp, const struct vb_qp_init_attr* attr, jlongArray given) {
  jlong values[] = {qp->qp_num, attr->cap.max_inline_data};
  (*env)->SetLongArrayRegion(env, given, 0, 2, values);
}

/* `shared` is 0 for a pair with a receive queue of its own. */
ENTRY(jlong, createPair0)
(JNIEnv* env, jclass type, jlong domain, jint pair_type, jlong send_completions, jlong receive_completions, jlong shared,
 jint send_depth, jint receive_depth, jint inline_bytes, jlongArray given) {
  (void)type;
  const handle_entry* in = handle_find(domain, DOMAIN);
  const handle_entry* sent = handle_find(send_completions, COMPLETIONS);
  const handle_entry* received = handle_find(receive_completions, COMPLETIONS);
  const handle_entry* from = shared == 0 ? NULL : handle_find(shared, SHARED_RECEIVES);
  if (in == NULL || sent == NULL || received == NULL || (shared != 0 && from == NULL)) return -EBADF;
  struct vb_qp_init_attr attr = {.send_cq = sent->object,
                                 .recv_cq = received->object,
                                 .srq = from == NULL ? NULL : from->object,
                                 .cap = {(uint32_t)send_depth, from == NULL ? (uint32_t)receive_depth : 0, 1, 1,
                                         (uint32_t)inline_bytes},
                                 .qp_type = pair_type};
  errno = 0;
  struct vb_qp* qp = in->library->create_qp(in->object, &attr);
  if (qp != NULL) describe_pair(env, qp, &attr, given);
  return made(QUEUE_PAIR, in->library, qp);
}

static jlong modify(const handle_entry* pair, struct vb_qp_attr* attr, int mask) {
  errno = 0;
  return outcome(pair->library->modify_qp(pair->object, attr, VB_QP_STATE | mask));
}

/* RESET to INIT. `rights` are a datagram pair's key, or else what peers may do. */
ENTRY(jlong, initialise0)
(JNIEnv* env, jclass type, jlong pair, jboolean is_datagram, jint port, jint partition, jint rights) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(pair, QUEUE_PAIR);
  if (entry == NULL) return -EBADF;
  struct vb_qp_attr attr = {.qp_state = VB_QPS_INIT,
                            .port_num = (uint8_t)port,
                            .pkey_index = (uint16_t)partition,
                            .qkey = (uint32_t)rights,
                            .qp_access_flags = (unsigned)rights};
  return modify(entry, &attr, VB_QP_PKEY_INDEX | VB_QP_PORT | (is_datagram ? VB_QP_QKEY : VB_QP_ACCESS_FLAGS));
}

static void read_route(JNIEnv* env, jlongArray route, jbyteArray gid, struct vb_ah_attr* into) {
  jlong value[ROUTE_LENGTH];
  (*env)->GetLongArrayRegion(env, route, 0, ROUTE_LENGTH, value);
  memset(into, 0, sizeof *into);
  into->port_num = (uint8_t)value[PORT];
  into->dlid = (uint16_t)value[REMOTE_LID];
  into->sl = (uint8_t)value[SERVICE_LEVEL];
  into->is_global = value[IS_GLOBAL] != 0;
  into->grh.sgid_index = (uint8_t)value[SOURCE_GID];
  into->grh.flow_label = (uint32_t)value[FLOW_LABEL];
  into->grh.traffic_class = (uint8_t)value[TRAFFIC_CLASS];
  into->grh.hop_limit = (uint8_t)value[HOP_LIMIT];
  (*env)->GetByteArrayRegion(env, gid, 0, sizeof into->grh.dgid.raw, (jbyte*)into->grh.dgid.raw);
}

static struct vb_qp_attr attributes(JNIEnv* env, int state, jlongArray options) {
  jlong value[OPTIONS_LENGTH];
  (*env)->GetLongArrayRegion(env, options, 0, OPTIONS_LENGTH, value);
  return (struct vb_qp_attr){.qp_state = state,
                             .path_mtu = (int)value[MTU],
                             .dest_qp_num = (uint32_t)value[REMOTE_QPN],
                             .rq_psn = (uint32_t)value[RECEIVE_PSN],
                             .sq_psn = (uint32_t)value[SEND_PSN],
                             .max_rd_atomic = (uint8_t)value[READS],
                             .max_dest_rd_atomic = (uint8_t)value[READS],
                             .min_rnr_timer = (uint8_t)value[MIN_RNR_TIMER],
                             .timeout = (uint8_t)value[TIMEOUT],
                             .retry_cnt = (uint8_t)value[RETRIES],
                             .rnr_retry = (uint8_t)value[RNR_RETRIES]};
}

/* INIT to RTR along a route; for RC and UC. On Ethernet the kernel resolves the peer's address in this call. */
ENTRY(jlong, route0)
(JNIEnv* env, jclass type, jlong pair, jboolean is_reliable, jlongArray route, jbyteArray gid, jlongArray options) {
  (void)type;
  const handle_entry* entry = handle_find(pair, QUEUE_PAIR);
  if (entry == NULL || (*env)->GetArrayLength(env, options) < OPTIONS_LENGTH) return -EBADF;
  struct vb_qp_attr attr = attributes(env, VB_QPS_RTR, options);
  read_route(env, route, gid, &attr.ah_attr);
  return modify(entry, &attr,
                VB_QP_AV | VB_QP_PATH_MTU | VB_QP_DEST_QPN | VB_QP_RQ_PSN |
                    (is_reliable ? VB_QP_MAX_DEST_RD_ATOMIC | VB_QP_MIN_RNR_TIMER : 0));
}

/* RTR to RTS; for RC and UC. */
ENTRY(jlong, start0)(JNIEnv* env, jclass type, jlong pair, jboolean is_reliable, jlongArray options) {
  (void)type;
  const handle_entry* entry = handle_find(pair, QUEUE_PAIR);
  if (entry == NULL || (*env)->GetArrayLength(env, options) < OPTIONS_LENGTH) return -EBADF;
  struct vb_qp_attr attr = attributes(env, VB_QPS_RTS, options);
  return modify(entry, &attr,
                VB_QP_SQ_PSN | (is_reliable ? VB_QP_TIMEOUT | VB_QP_RETRY_CNT | VB_QP_RNR_RETRY | VB_QP_MAX_QP_RD_ATOMIC
                                            : 0));
}

/* INIT to RTS, for UD. */
ENTRY(jlong, activate0)(JNIEnv* env, jclass type, jlong pair, jint send_psn) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(pair, QUEUE_PAIR);
  if (entry == NULL) return -EBADF;
  struct vb_qp_attr attr = {.qp_state = VB_QPS_RTR, .sq_psn = (uint32_t)send_psn};
  jlong code = modify(entry, &attr, 0);
  if (code != 0) return code;
  attr.qp_state = VB_QPS_RTS;
  return modify(entry, &attr, VB_QP_SQ_PSN);
}

static jlong end(jlong pair, int state) {
  const handle_entry* entry = handle_find(pair, QUEUE_PAIR);
  if (entry == NULL) return -EBADF;
  struct vb_qp_attr attr = {.qp_state = state};
  return modify(entry, &attr, 0);
}

/* Any state to ERR: what is posted completes as flushed. */
ENTRY(jlong, abort0)(JNIEnv* env, jclass type, jlong pair) {
  (void)env;
  (void)type;
  return end(pair, VB_QPS_ERR);
}

/* Any state to RESET: what is posted is gone. */
ENTRY(jlong, reset0)(JNIEnv* env, jclass type, jlong pair) {
  (void)env;
  (void)type;
  return end(pair, VB_QPS_RESET);
}

ENTRY(jlong, createAddress0)(JNIEnv* env, jclass type, jlong domain, jlongArray route, jbyteArray gid) {
  (void)type;
  const handle_entry* entry = handle_find(domain, DOMAIN);
  if (entry == NULL) return -EBADF;
  struct vb_ah_attr attr;
  read_route(env, route, gid, &attr);
  errno = 0;
  return made(PEER_ADDRESS, entry->library, entry->library->create_ah(entry->object, &attr));
}
