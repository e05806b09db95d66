// SPDX-License-Identifier: Apache-2.0
/* What may be registered, under which name, and how long a key is a key. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

enum { PAGES = 4 << 12, RIGHTS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE };

static void should_not_pin_what_the_process_cannot_touch(void) {
  struct end end = end_open(0, IBV_QPT_RC, false);
  void* hidden = mmap(NULL, PAGES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(ibv_reg_mr(end.pd, hidden, PAGES, RIGHTS) == NULL && errno == EFAULT, "memory without access", errno);
  check(mprotect(hidden, PAGES, PROT_READ) == 0, "mprotect", errno);
  check(ibv_reg_mr(end.pd, hidden, PAGES, RIGHTS) == NULL && errno == EFAULT, "memory to read, for writing", errno);
  struct ibv_mr* mr = ibv_reg_mr(end.pd, hidden, PAGES, 0);
  check(mr != NULL, "memory to read, for reading", errno);
  check(ibv_dereg_mr(mr) == 0 && munmap(hidden, PAGES) == 0, "give it back", errno);
  check(ibv_reg_mr(end.pd, end.bytes, 100, IBV_ACCESS_REMOTE_WRITE) == NULL && errno == EINVAL,
        "remote without local writing", errno);
  end_close(&end);
}

/* As with an emulated device's memory: hidden at its address, worked on at another. */
static void should_write_through_another_name(void) {
  struct both both = both_open(IBV_QPT_UC);
  fill(both.a.bytes, 5000, 1);
  uint64_t name = UINT64_C(0x7000000000);
  struct ibv_mr* mr = ibv_reg_mr_iova(both.b.pd, both.b.bytes + 500000, 8192, name, RIGHTS);
  check(mr != NULL, "register under another name", errno);
  post_receive(&both.b, 1, 0, 0);
  post_write_imm(&both.a, 2, 0, 5000, name + 100, mr->rkey, 0);
  (void)next_well(&both.b, 1);
  check(memcmp(both.a.bytes, both.b.bytes + 500100, 5000) == 0, "at the alias", 0);
  check(ibv_dereg_mr(mr) == 0, "deregister", 0);
  both_close(&both);
}

static void should_write_straight_into_a_dma_buf(void) {
  struct both both = both_open(IBV_QPT_RC);
  int fd = memfd_create("dma-buf", MFD_CLOEXEC);
  check(fd >= 0 && ftruncate(fd, PAGES) == 0, "memfd", errno);
  check(ibv_reg_dmabuf_mr(both.b.pd, 100, PAGES, 0, fd, RIGHTS) == NULL, "more than there is", errno);
  struct ibv_mr* mr = ibv_reg_dmabuf_mr(both.b.pd, 4100, 8000, 4100, fd, RIGHTS);
  check(mr != NULL, "register a dma-buf", errno);
  fill(both.a.bytes, 8000, 1);
  post_write(&both.a, 1, 0, 8000, 4100, mr->rkey);
  (void)next_well(&both.a, 1);
  unsigned char got[8000];
  check(pread(fd, got, sizeof got, 4100) == (ssize_t)sizeof got && memcmp(got, both.a.bytes, sizeof got) == 0,
        "the bytes are in the file", errno);
  check(ibv_dereg_mr(mr) == 0 && close(fd) == 0, "give it back", errno);
  both_close(&both);
}

static uint32_t bind(struct end* end, struct ibv_mw* mw, size_t offset, size_t length) {
  struct ibv_mw_bind wanted = {.wr_id = 99, .send_flags = IBV_SEND_SIGNALED,
                               .bind_info = {end->mr, at(end, offset), length, IBV_ACCESS_REMOTE_WRITE}};
  check(ibv_bind_mw(end->qp, mw, &wanted) == 0, "bind", 0);
  check(next_well(end, 99).opcode == IBV_WC_BIND_MW, "bound", 0);
  return mw->rkey;
}

/* The slab fence: what comes late under the old key changes nothing, and the pair goes on. */
static void should_fence_late_writes_off_with_a_new_key(void) {
  struct both both = both_open(IBV_QPT_UC);
  struct ibv_mw* mw = ibv_alloc_mw(both.b.pd, IBV_MW_TYPE_1);
  check(mw != NULL, "allocate a window", errno);
  uint32_t old = bind(&both.b, mw, 1000, 500);
  fill(both.a.bytes, 500, 9);
  fault("DELAY_US", "20000");
  post_write(&both.a, 1, 0, 500, at(&both.b, 1000), old);
  (void)next_well(&both.a, 1);
  uint32_t renewed = bind(&both.b, mw, 1000, 500);
  check(renewed != old, "another key", renewed);
  check_silent(&both.b);
  check(both.b.bytes[1010] == 0, "the late write is fenced off", both.b.bytes[1010]);
  no_faults();
  post_receive(&both.b, 2, 0, 0);
  post_receive(&both.b, 3, 0, 0);
  post_write_imm(&both.a, 4, 0, 500, at(&both.b, 1001), renewed, 0);
  (void)next_well(&both.a, 4);
  check_silent(&both.b);
  check(both.b.bytes[1010] == 0, "one byte too far", both.b.bytes[1010]);
  post_write_imm(&both.a, 5, 0, 500, at(&both.b, 1000), renewed, 0);
  (void)next_well(&both.b, 2);
  check(memcmp(both.a.bytes, both.b.bytes + 1000, 500) == 0, "the new key works", 0);
  check(ibv_dereg_mr(both.b.mr) == EBUSY, "what has a window stays", 0);
  check(ibv_dealloc_mw(mw) == 0, "give the window back", 0);
  both_close(&both);
}

static void should_not_take_the_key_of_a_region_that_is_gone(void) {
  struct both both = both_open(IBV_QPT_RC);
  struct ibv_mr* mr = ibv_reg_mr(both.b.pd, both.b.bytes, 100, RIGHTS);
  uint32_t old = mr->rkey;
  check(ibv_dereg_mr(mr) == 0, "deregister", 0);
  mr = ibv_reg_mr(both.b.pd, both.b.bytes, 100, RIGHTS);
  check(mr->rkey != old, "the same memory under another key", old);
  post_write(&both.a, 1, 0, 100, at(&both.b, 0), mr->rkey);
  (void)next_well(&both.a, 1);
  post_write(&both.a, 2, 0, 100, at(&both.b, 0), old);
  check(next(&both.a).status == IBV_WC_REM_ACCESS_ERR, "the old key", 0);
  check(ibv_dereg_mr(mr) == 0, "deregister", 0);
  both_close(&both);
}

static void should_refuse_to_close_what_others_stand_on(void) {
  struct end end = end_open(0, IBV_QPT_RC, false);
  check(ibv_dealloc_pd(end.pd) == EBUSY && ibv_destroy_cq(end.cq) == EBUSY && ibv_close_device(end.context) == EBUSY,
        "all are in use", 0);
  end_close(&end);
}

void memory_tests(void) {
  RUN(should_not_pin_what_the_process_cannot_touch);
  RUN(should_write_through_another_name);
  RUN(should_write_straight_into_a_dma_buf);
  RUN(should_fence_late_writes_off_with_a_new_key);
  RUN(should_not_take_the_key_of_a_region_that_is_gone);
  RUN(should_refuse_to_close_what_others_stand_on);
}
