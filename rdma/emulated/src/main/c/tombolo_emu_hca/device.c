// SPDX-License-Identifier: Apache-2.0
/* Devices, and what they say of themselves. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "efa.h"
#include "hca.h"
#include "settings.h"
#include "verbs.h"

enum { PAGE_SIZES = 0xfffff000, VENDOR_ID = 0xffffff, SPEED_EDR = 32, WIDTH_4X = 2, LINK_UP = 5, LINK_DISABLED = 3 };

/* As each profile lists them, by either name: made once, so that who reads one needs no lock, whatever is set meanwhile. */
static struct ib_device devices[HCA_PROFILES * 2 * HCA_MAX_NICS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct ib_device* device_of(int64_t profile, bool is_plain, int nic) {
  return &devices[(profile * 2 + is_plain) * HCA_MAX_NICS + nic];
}

static int nic_of(const struct ib_device* device) { return (int)((device - devices) % HCA_MAX_NICS); }

static void make_device(int profile, bool is_plain, int nic) {
  struct ib_device* made = device_of(profile, is_plain, nic);
  (void)snprintf(made->dev_name, sizeof made->dev_name, "emu-uverbs%d", nic);
  hca_nic_name(nic, is_plain, made->name);
  made->node_type = hca_profile_at(profile)->node;
  made->transport_type = hca_profile_at(profile)->transport;
}

static void make_devices(void) {
  for (int profile = 0; profile < HCA_PROFILES; profile++) {
    for (int nic = 0; nic < hca_machine()->nics; nic++) {
      make_device(profile, false, nic);
      make_device(profile, true, nic);
    }
  }
}

HCA_VERB struct ib_device** ibv_get_device_list(int* count) {
  (void)pthread_once(&once, make_devices);
  int nics = hca_machine()->nics;
  struct ib_device** list = calloc((size_t)nics + 1, sizeof *list);
  if (list == NULL) {
    return NULL;
  }
  for (int nic = 0; nic < nics; nic++) {
    list[nic] = device_of(hca_profile_of_nic(nic), hca_fault(HCA_PLAIN_NAMES) != 0, nic);
  }
  if (count != NULL) {
    *count = nics;
  }
  return list;
}

HCA_VERB void ibv_free_device_list(struct ib_device** list) { free(list); }

HCA_VERB const char* ibv_get_device_name(struct ib_device* device) { return device->name; }

HCA_VERB uint64_t ibv_get_device_guid(struct ib_device* device) {
  return hca_guid((struct hca_port){hca_machine()->host, nic_of(device)});
}

static void set_ops(struct ib_context_ops* ops) {
  ops->alloc_mw = hca_alloc_mw;
  ops->bind_mw = hca_bind_mw;
  ops->dealloc_mw = hca_dealloc_mw;
  ops->poll_cq = hca_poll_cq;
  ops->req_notify_cq = hca_req_notify_cq;
  ops->post_send = hca_post_send;
  ops->post_recv = hca_post_recv;
  ops->post_srq_recv = hca_post_srq_recv;
}

static int open_events(hca_context* context) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return errno;
  }
  context->base.async_fd = ends[0];
  context->events_in = ends[1];
  return fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

static void close_events(hca_context* context) {
  if (context->events_in > 0) {
    (void)close(context->events_in);
    (void)close(context->base.async_fd);
  }
}

/* The kernel opens no device that it has taken away. */
static bool is_gone(const struct ib_device* device) { return hca_is_struck(HCA_FATAL, nic_of(device)); }

HCA_VERB struct ib_context* ibv_open_device(struct ib_device* device) {
  if (is_gone(device)) {
    errno = EIO;
    return NULL;
  }
  hca_context* context = hca_may_make() ? calloc(1, sizeof *context) : NULL;
  if (context == NULL) {
    return NULL;
  }
  context->port = (struct hca_port){hca_machine()->host, nic_of(device)};
  hca_fabric(context->fabric);
  int64_t mtu = hca_fault(HCA_MTU);
  context->mtu = mtu == 0 ? HCA_MAX_MTU : (uint32_t)mtu;
  context->profile = hca_profile_at(hca_profile_of_nic(context->port.nic));
  context->is_infiniband =
      context->profile->link_layer == HCA_LINK_OF_NIC && hca_machine()->infiniband[context->port.nic];
  context->base.device = device;
  context->base.cmd_fd = -1;
  context->base.num_comp_vectors = 1;
  set_ops(&context->base.ops);
  (void)pthread_mutex_init(&context->lock, NULL);
  context->is_up = true;
  context->has_new_gid = hca_is_struck(HCA_GID_CHANGED, context->port.nic); /* which is no news to who opens it now */
  int error = open_events(context);
  error = error == 0 ? hca_engine_start(context) : error;
  if (error != 0) {
    close_events(context);
    free(context);
    errno = error;
    return NULL;
  }
  hca_count(1);
  return &context->base;
}

/* A real library lets go of whatever is left; here that is an error, so that tests see it. */
HCA_VERB int ibv_close_device(struct ib_context* base) {
  hca_context* context = hca_of(base);
  hca_lock(context);
  int objects = context->objects;
  hca_unlock(context);
  if (objects != 0) {
    return EBUSY;
  }
  hca_engine_stop(context);
  close_events(context);
  hca_drop_held(context);
  free(context->keys);
  (void)pthread_mutex_destroy(&context->lock);
  free(context);
  hca_count(-1);
  return 0;
}

/* EFA's tables, as Linux has them (hw/efa/efa_verbs.c, efa_query_port, which says of messages that they are one packet): one
   key; one GID, whose type nobody sets, so that it is InfiniBand's (core/cache.c, config_non_roce_gid_cache). */
static uint16_t pkeys_of(const hca_context* context) { return hca_is_efa(context) ? 1 : HCA_PKEYS; }

static bool has_plain_gid(const hca_context* context) { return context->is_infiniband || hca_is_efa(context); }

HCA_VERB int ibv_query_device(struct ib_context* base, struct ib_device_attr* attr) {
  const hca_profile* profile = hca_of(base)->profile;
  memset(attr, 0, sizeof *attr);
  (void)snprintf(attr->fw_ver, sizeof attr->fw_ver, "emulated");
  attr->node_guid = attr->sys_image_guid = hca_guid(hca_of(base)->port);
  attr->max_mr_size = UINT64_MAX;
  attr->page_size_cap = PAGE_SIZES;
  attr->vendor_id = VENDOR_ID;
  attr->device_cap_flags =
      (profile->says_windows ? IBV_DEVICE_MEM_WINDOW : 0u) | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_PORT_ACTIVE_EVENT;
  attr->max_qp = attr->max_cq = 1 << 16;
  attr->max_srq = profile->has_shared_receives ? 1 << 16 : 0;
  attr->max_qp_wr = (int)profile->max_requests;
  attr->max_srq_wr = profile->has_shared_receives ? (int)profile->max_requests : 0;
  attr->max_cqe = (int)profile->max_completions;
  attr->max_sge = attr->max_sge_rd = attr->max_srq_sge = HCA_MAX_SGE;
  attr->max_mw = profile->max_windows > 0 || !profile->says_windows ? profile->max_windows : HCA_MAX_WINDOWS;
  attr->max_mr = attr->max_pd = attr->max_ah = 1 << 20;
  attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = HCA_MAX_READS;
  attr->max_res_rd_atom = HCA_MAX_READS << 16;
  attr->atomic_cap = IBV_ATOMIC_NONE;
  attr->max_pkeys = pkeys_of(hca_of(base));
  attr->phys_port_cnt = 1;
  return 0;
}

/* Up to `flags`: what the caller gives may be the shorter record of older headers. */
HCA_VERB int ibv_query_port(struct ib_context* base, uint8_t number, struct ib_port_attr* attr) {
  hca_context* context = hca_of(base);
  if (number != 1) {
    return EINVAL;
  }
  hca_lock(context);
  (void)hca_port_check(context);
  bool is_up = context->is_up;
  hca_unlock(context);
  memset(attr, 0, offsetof(struct ib_port_attr, port_cap_flags2));
  attr->state = is_up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
  attr->phys_state = is_up ? LINK_UP : LINK_DISABLED;
  attr->max_mtu = IBV_MTU_4096;
  attr->active_mtu = hca_mtu_number(context->mtu);
  attr->gid_tbl_len = hca_gid_count(has_plain_gid(context));
  attr->max_msg_sz = hca_is_efa(context) ? context->mtu : HCA_MAX_MESSAGE;
  attr->pkey_tbl_len = pkeys_of(context);
  attr->lid = context->is_infiniband ? hca_lid(context->port) : 0;
  attr->sm_lid = context->is_infiniband ? 1 : 0;
  attr->max_vl_num = 1;
  attr->active_width = WIDTH_4X;
  attr->active_speed = SPEED_EDR;
  int link_of_nic = context->is_infiniband ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET;
  int link = context->profile->link_layer;
  attr->link_layer = (uint8_t)(link == HCA_LINK_OF_NIC ? link_of_nic : link);
  return 0;
}

static bool has_gid(const hca_context* context, uint32_t number, uint32_t index) {
  return number == 1 && index < (uint32_t)hca_gid_count(has_plain_gid(context));
}

/* Like the real one: -1, and errno. */
HCA_VERB int ibv_query_gid(struct ib_context* base, uint8_t number, int index, union ib_gid* gid) {
  const hca_context* context = hca_of(base);
  if (index < 0 || !has_gid(context, number, (uint32_t)index)) {
    errno = EINVAL;
    return -1;
  }
  hca_gid(context->port, has_plain_gid(context), context->has_new_gid, index, gid);
  return 0;
}

HCA_VERB int _ibv_query_gid_ex(struct ib_context* base, uint32_t number, uint32_t index, struct ib_gid_entry* entry,
                               uint32_t flags, size_t entry_bytes) {
  const hca_context* context = hca_of(base);
  if (flags != 0 || entry_bytes < sizeof *entry || !has_gid(context, number, index)) {
    return EINVAL;
  }
  hca_gid(context->port, has_plain_gid(context), context->has_new_gid, (int)index, &entry->gid);
  entry->gid_index = index;
  entry->port_num = number;
  entry->gid_type = (uint32_t)hca_gid_type(has_plain_gid(context), (int)index);
  entry->ndev_ifindex = 0;
  return 0;
}

HCA_VERB int ibv_query_pkey(struct ib_context* base, uint8_t number, int index, uint16_t* pkey) {
  if (number != 1 || index < 0 || index >= pkeys_of(hca_of(base))) {
    errno = EINVAL;
    return -1;
  }
  *pkey = hca_pkey(index);
  return 0;
}

