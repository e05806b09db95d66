// SPDX-License-Identifier: Apache-2.0
/* Records become requests, batch by batch, and completions become records; a library of our own notes what it gets. */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../../main/c/tombolo_verbs/handles.h"
#include "../../../main/c/tombolo_verbs/work.h"

enum { MANY = 100 };

static struct {
  struct vb_send_wr sent[MANY];
  struct vb_sge pieces[MANY];
  int sends;
  int calls;
  int room;
  int receives;
  int pending;
} seen;

static int note_sends(struct vb_qp* qp, struct vb_send_wr* wr, struct vb_send_wr** bad) {
  (void)qp;
  seen.calls++;
  for (; wr != NULL; wr = wr->next) {
    if (seen.sends == seen.room) {
      *bad = wr;
      return ENOMEM;
    }
    seen.pieces[seen.sends] = *wr->sg_list;
    seen.sent[seen.sends++] = *wr;
  }
  return 0;
}

static int note_receives(struct vb_qp* qp, struct vb_recv_wr* wr, struct vb_recv_wr** bad) {
  (void)qp;
  (void)bad;
  for (; wr != NULL; wr = wr->next) {
    assert(wr->wr_id == (uint64_t)seen.receives);
    seen.receives++;
  }
  return 0;
}

static int give_completions(struct vb_cq* cq, int entries, struct vb_wc* wc) {
  (void)cq;
  int given = 0;
  for (; given < entries && seen.pending > 0; given++, seen.pending--) {
    wc[given] = (struct vb_wc){.wr_id = (uint64_t)seen.pending,
                               .status = 12,
                               .byte_len = 7,
                               .imm_data = htonl(0x01020304),
                               .qp_num = 9,
                               .vendor_err = 5,
                               .wc_flags = VB_WC_WITH_IMM};
  }
  return given;
}

static int fail_to_poll(struct vb_cq* cq, int entries, struct vb_wc* wc) {
  (void)cq;
  (void)entries;
  (void)wc;
  return -1;
}

static struct vb_context context = {
    .ops = {.post_send = note_sends, .post_recv = note_receives, .poll_cq = give_completions}};
static struct vb_qp qp = {.context = &context};
static struct vb_cq cq = {.context = &context};

static void forget(int room) {
  memset(&seen, 0, sizeof seen);
  seen.room = room;
}

static void should_lay_out_a_remote_write(void) {
  send_record record = {.id = 1,
                        .address = 0x1000,
                        .remote_address = 0x2000,
                        .length = 64,
                        .local_key = 3,
                        .remote_key = 4,
                        .immediate = 0x0a0b0c0d,
                        .opcode = WORK_WRITE_WITH_IMM,
                        .flags = WORK_SIGNALLED | WORK_INLINE};
  forget(MANY);
  assert(work_send(&qp, &record, 1, 0) == 1);
  assert(seen.sent[0].wr_id == 1 && seen.sent[0].opcode == VB_WR_RDMA_WRITE_WITH_IMM);
  assert(seen.sent[0].send_flags == (VB_SEND_SIGNALED | VB_SEND_INLINE) && seen.sent[0].num_sge == 1);
  assert(seen.sent[0].imm_data == htonl(0x0a0b0c0d));
  assert(seen.sent[0].wr.rdma.remote_addr == 0x2000 && seen.sent[0].wr.rdma.rkey == 4);
  assert(seen.pieces[0].addr == 0x1000 && seen.pieces[0].length == 64 && seen.pieces[0].lkey == 3);
}

static void should_name_the_peer_of_a_datagram_by_its_handle(void) {
  int address;
  int64_t peer = handle_new(PEER_ADDRESS, NULL, &address);
  send_record record = {.peer = peer, .remote_qpn = 17, .remote_qkey = 18, .opcode = WORK_SEND, .length = 1};
  forget(MANY);
  assert(work_send(&qp, &record, 1, 1) == 1);
  assert(seen.sent[0].wr.ud.ah == (struct vb_ah*)&address);
  assert(seen.sent[0].wr.ud.remote_qpn == 17 && seen.sent[0].wr.ud.remote_qkey == 18);
  handle_drop(peer);
  assert(work_send(&qp, &record, 1, 1) == -EBADF);
}

static void should_post_in_batches_and_stop_where_the_queue_is_full(void) {
  send_record records[MANY] = {0};
  for (int i = 0; i < MANY; i++) records[i].id = (uint64_t)i;
  forget(MANY);
  assert(work_send(&qp, records, MANY, 0) == MANY);
  assert(seen.calls == (MANY + WORK_BATCH - 1) / WORK_BATCH);
  for (int i = 0; i < MANY; i++) assert(seen.sent[i].wr_id == (uint64_t)i && seen.sent[i].num_sge == 0);
  forget(40);
  assert(work_send(&qp, records, MANY, 0) == 40);
  forget(0);
  assert(work_send(&qp, records, MANY, 0) == -ENOMEM);
}

static void should_refuse_an_unknown_kind_of_request(void) {
  send_record record = {.opcode = WORK_OPCODES};
  forget(MANY);
  assert(work_send(&qp, &record, 1, 0) == -EINVAL && seen.calls == 0);
}

static void should_post_receives_in_order(void) {
  receive_record records[MANY] = {0};
  for (int i = 0; i < MANY; i++) records[i].id = (uint64_t)i;
  forget(0);
  assert(work_receive(&qp, records, MANY) == MANY && seen.receives == MANY);
}

static void should_report_completions_up_to_the_room_there_is(void) {
  completion_record found[MANY];
  forget(0);
  seen.pending = MANY;
  assert(work_poll(&cq, found, 70) == 70);
  assert(found[0].id == MANY && found[69].id == 31);
  assert(found[0].status == 12 && found[0].bytes == 7 && found[0].immediate == 0x01020304);
  assert(found[0].qpn == 9 && found[0].vendor_code == 5 && found[0].has_immediate);
  assert(work_poll(&cq, found, 70) == 30 && work_poll(&cq, found, 70) == 0);
  context.ops.poll_cq = fail_to_poll;
  assert(work_poll(&cq, found, 70) == -EIO);
}

static void should_know_stale_and_foreign_handles(void) {
  int object;
  int64_t first = handle_new(REGION, NULL, &object);
  assert(first > 0 && handle_find(first, REGION)->object == &object);
  assert(handle_find(first, WINDOW) == NULL);
  handle_drop(first);
  assert(handle_any(first) == NULL);
  int64_t second = handle_new(REGION, NULL, &object);
  assert(second != first && (uint32_t)second == (uint32_t)first);
  assert(handle_any(first) == NULL && handle_any(0) == NULL && handle_any(-EBADF) == NULL);
  handle_drop(first);
  assert(handle_any(second) != NULL);
  handle_drop(second);
}

static void should_say_what_a_library_lacks(void) {
  char problem[256];
  assert(verbs_open("libtombolo-none.so", problem, sizeof problem) == NULL);
  assert(strstr(problem, "libtombolo-none.so") != NULL);
  assert(verbs_open("libm.so.6", problem, sizeof problem) == NULL);
  assert(strstr(problem, "has no ibv_get_device_list") != NULL);
}

int main(void) {
  should_lay_out_a_remote_write();
  should_name_the_peer_of_a_datagram_by_its_handle();
  should_post_in_batches_and_stop_where_the_queue_is_full();
  should_refuse_an_unknown_kind_of_request();
  should_post_receives_in_order();
  should_report_completions_up_to_the_room_there_is();
  should_know_stale_and_foreign_handles();
  should_say_what_a_library_lacks();
  (void)puts("verbs: ok");
  return 0;
}
