// SPDX-License-Identifier: Apache-2.0
/*
 * The environment of a process with emulated NICs:
 *
 *   TOMBOLO_HCA_NICS               one word for each NIC: ethernet or infiniband ("ethernet,ethernet")
 *   TOMBOLO_HCA_HOST               number of the host that this process is on, 0 to 255 (0): other hosts' NICs are others
 *   TOMBOLO_HCA_FABRIC             name of the network of devices opened from here on; those of different names do not reach
 *                                  each other, and number their queue pairs by themselves ("default"); may change as it goes
 *   TOMBOLO_HCA_RAILS              1: a NIC reaches only NICs of its own index (0)
 *
 *   TOMBOLO_HCA_PLAIN_NAMES        1: NICs are listed as nic0, nic1 and so on, as of simulated machines (0)
 *   TOMBOLO_HCA_MTU                bytes of the longest packet of devices opened from here on: 256, 512, 1024, 2048, 4096 (4096)
 *   TOMBOLO_HCA_PROFILE            the driver that devices opened from here on behave like: mlx5, bnxt, irdma, hns, efa, rxe,
 *                                  iwarp, or least, which has little of everything; see profile.c. One for all, or a list
 *                                  by comma of one for each NIC, the last also for those after it ("mlx5")
 *
 * and of what goes wrong with what it sends; a test may change these as it goes, see hca_set:
 *
 *   TOMBOLO_HCA_SEED               of all that is left to chance below (0)
 *   TOMBOLO_HCA_LOSS_PERCENT       packets that are lost (0)
 *   TOMBOLO_HCA_DUPLICATE_PERCENT  packets that arrive twice (0)
 *   TOMBOLO_HCA_REORDER_PERCENT    packets that some later ones overtake (0)
 *   TOMBOLO_HCA_STRAY_PERCENT      packets that arrive after so many microseconds (0):
 *   TOMBOLO_HCA_STRAY_US           enough to reach a key that has another meaning by then
 *   TOMBOLO_HCA_MARK_PERCENT       packets that come marked by a long queue (ECN), of those that may be: ud's, on RoCE v2 (0)
 *   TOMBOLO_HCA_DELAY_US           microseconds that each packet takes longer (0)
 *   TOMBOLO_HCA_BIND_US            microseconds that it takes to bind a memory window (0)
 *   TOMBOLO_HCA_TAG_BITS           bits of a key that change when its slot is used again, 1 to 8 (0: 8)
 *   TOMBOLO_HCA_MEMLOCK_KIB        memory that this process may lock, and so register (0: all)
 *   TOMBOLO_HCA_NO_DMABUF          1: no memory can be registered as a dma-buf, as by Soft-RoCE (0)
 *   TOMBOLO_HCA_INLINE_LIMIT       bytes that a request carries in itself at most; who asks for more gets no queue pair (0: 256)
 *   TOMBOLO_HCA_NO_UC              1: there are no unreliable connections, as on EFA and irdma (0)
 *   TOMBOLO_HCA_EVENT_MS           milliseconds that the event of a queue pair that breaks comes after what it flushes, as the one
 *                                  goes through the kernel and the other does not; 0: before (0)
 *   TOMBOLO_HCA_BREAK_BY_PEER      1: the event of a queue pair that breaks by itself says that what its peer asked of it did that (0)
 *   TOMBOLO_HCA_DOWN               names of NICs whose port is down, by comma (none)
 *   TOMBOLO_HCA_DOWN_MS            milliseconds until such a port is up again (0: it stays down)
 *   TOMBOLO_HCA_FATAL              names of NICs that were reset beneath their users: an event, and nothing works any more (none)
 *   TOMBOLO_HCA_SILENT             names of NICs that do nothing they are told: they send and complete nothing, and
 *                                  answer EIO; yet what peers send still comes to memory (none)
 *   TOMBOLO_HCA_SILENT_MS          milliseconds until such a NIC says that it was reset, as by FATAL (0: never)
 *   TOMBOLO_HCA_EIO_PERCENT        commands that change or destroy something and fail with EIO, and nobody says why (0)
 *   TOMBOLO_HCA_GID_CHANGED        names of NICs whose interface has got another address: an event, and other GIDs; on Ethernet
 *                                  what is sent and comes under the old ones is lost; who opens one later knows only the
 *                                  new ones (none)
 *   TOMBOLO_HCA_BREAK_PAIR         number of a queue pair of the first NIC that breaks by itself: an event, and no request (0: none)
 *   TOMBOLO_HCA_BREAK_AFTER        the queue pair of the first NIC that sends the packet of this number breaks likewise (0: none)
 *   TOMBOLO_HCA_DOWN_AFTER         the first NIC's port goes down after so many packets (0: never)
 *   TOMBOLO_HCA_FATAL_AFTER        the first NIC is reset beneath its users after so many packets (0: never)
 *   TOMBOLO_HCA_SILENT_AFTER       the first NIC falls silent after so many packets (0: never)
 *   TOMBOLO_HCA_GID_CHANGED_AFTER  the first NIC's interface gets another address after so many packets (0: never)
 *   TOMBOLO_HCA_UNRESOLVED         connections and addresses on Ethernet that time out (ETIMEDOUT), as where the kernel gets no
 *                                  answer for a peer's address; from then on they go well (0)
 *   TOMBOLO_HCA_UNRESOLVED_MS      milliseconds that each of these takes; a kernel, about 1000 (0)
 *   TOMBOLO_HCA_FAIL_CREATE_AT     of the objects made from here on, this one cannot be, for want of memory (0: none)
 *   TOMBOLO_HCA_FAIL_RECEIVE_AT    of the datagrams that the first NIC receives from here on, this one cannot be placed: its
 *                                  receive fails, which breaks the pair (0: none)
 *   TOMBOLO_HCA_RECEIVES_FIRST     1: the receives of a reliable pair are flushed before the request completes that has broken it,
 *                                  as the two are of different queues; else after it (0)
 */
#include "settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "packet.h"
#include "profile.h"

enum { TEXT_BYTES = 256, PPM_PER_PERCENT = 10000, MAX_HOST = 255, PROFILE_BITS = 4 };

_Static_assert(HCA_PROFILES <= 1 << PROFILE_BITS, "profile.h");

static struct hca_machine machine;
static pthread_mutex_t fabric_lock = PTHREAD_MUTEX_INITIALIZER;
static char fabric[HCA_FABRIC_BYTES];
static _Atomic int64_t faults[HCA_FAULTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct {
  const char* name;
  double scale;
} fault_names[HCA_FAULTS] = {
    [HCA_PROFILE] = {"PROFILE", 0},
    [HCA_PLAIN_NAMES] = {"PLAIN_NAMES", 1},
    [HCA_MTU] = {"MTU", 1},
    [HCA_SEED] = {"SEED", 1},
    [HCA_LOSS_PPM] = {"LOSS_PERCENT", PPM_PER_PERCENT},
    [HCA_DUPLICATE_PPM] = {"DUPLICATE_PERCENT", PPM_PER_PERCENT},
    [HCA_REORDER_PPM] = {"REORDER_PERCENT", PPM_PER_PERCENT},
    [HCA_STRAY_PPM] = {"STRAY_PERCENT", PPM_PER_PERCENT},
    [HCA_STRAY_US] = {"STRAY_US", 1},
    [HCA_MARK_PPM] = {"MARK_PERCENT", PPM_PER_PERCENT},
    [HCA_DELAY_US] = {"DELAY_US", 1},
    [HCA_BIND_US] = {"BIND_US", 1},
    [HCA_TAG_BITS] = {"TAG_BITS", 1},
    [HCA_MEMLOCK_KIB] = {"MEMLOCK_KIB", 1},
    [HCA_NO_DMABUF] = {"NO_DMABUF", 1},
    [HCA_INLINE_LIMIT] = {"INLINE_LIMIT", 1},
    [HCA_NO_UC] = {"NO_UC", 1},
    [HCA_EVENT_MS] = {"EVENT_MS", 1},
    [HCA_BREAK_BY_PEER] = {"BREAK_BY_PEER", 1},
    [HCA_DOWN] = {"DOWN", 0},
    [HCA_DOWN_MS] = {"DOWN_MS", 1},
    [HCA_FATAL] = {"FATAL", 0},
    [HCA_SILENT] = {"SILENT", 0},
    [HCA_SILENT_MS] = {"SILENT_MS", 1},
    [HCA_EIO_PPM] = {"EIO_PERCENT", PPM_PER_PERCENT},
    [HCA_GID_CHANGED] = {"GID_CHANGED", 0},
    [HCA_BREAK_PAIR] = {"BREAK_PAIR", 1},
    [HCA_BREAK_AFTER] = {"BREAK_AFTER", 1},
    [HCA_DOWN_AFTER] = {"DOWN_AFTER", 1},
    [HCA_FATAL_AFTER] = {"FATAL_AFTER", 1},
    [HCA_SILENT_AFTER] = {"SILENT_AFTER", 1},
    [HCA_GID_CHANGED_AFTER] = {"GID_CHANGED_AFTER", 1},
    [HCA_FAIL_CREATE_AT] = {"FAIL_CREATE_AT", 1},
    [HCA_FAIL_RECEIVE_AT] = {"FAIL_RECEIVE_AT", 1},
    [HCA_RECEIVES_FIRST] = {"RECEIVES_FIRST", 1},
    [HCA_UNRESOLVED] = {"UNRESOLVED", 1},
    [HCA_UNRESOLVED_MS] = {"UNRESOLVED_MS", 1},
};

/* Calls visit(word, with) for each word of a list by comma, until it says false; whether it never did. */
static bool each_word(const char* list, bool (*visit)(const char* word, void* with), void* with) {
  char copy[TEXT_BYTES];
  if (snprintf(copy, sizeof copy, "%s", list) >= (int)sizeof copy) {
    return false;
  }
  char* rest = copy;
  for (char* word = strsep(&rest, ","); word != NULL; word = strsep(&rest, ",")) {
    if (*word != '\0' && !visit(word, with)) {
      return false;
    }
  }
  return true;
}

static bool add_nic(const char* word, void* with) {
  struct hca_machine* to = with;
  bool is_infiniband = strcmp(word, "infiniband") == 0;
  if (to->nics == HCA_MAX_NICS || (!is_infiniband && strcmp(word, "ethernet") != 0)) {
    return false;
  }
  to->infiniband[to->nics++] = is_infiniband;
  return true;
}

static bool add_bit(const char* word, void* with) {
  int nic = hca_nic_called(word);
  if (nic >= 0) {
    *(int64_t*)with |= INT64_C(1) << nic;
  }
  return nic >= 0;
}

struct profiles {
  int nic; /* the next one */
  int64_t bits;
};

static bool add_profile(const char* word, void* with) {
  struct profiles* to = with;
  int profile = hca_profile_called(word);
  if (profile < 0 || to->nic == HCA_MAX_NICS) {
    return false;
  }
  for (int nic = to->nic++; nic < HCA_MAX_NICS; nic++) {
    to->bits = (to->bits & ~(INT64_C(15) << PROFILE_BITS * nic)) | (int64_t)profile << PROFILE_BITS * nic;
  }
  return true;
}

static bool parse_fault(enum hca_fault fault, const char* text, int64_t* value) {
  if (fault == HCA_DOWN || fault == HCA_FATAL || fault == HCA_SILENT || fault == HCA_GID_CHANGED) {
    *value = 0;
    return each_word(text, add_bit, value);
  }
  if (fault == HCA_PROFILE) {
    struct profiles found = {0, 0};
    bool is_known = each_word(text, add_profile, &found) && found.nic > 0;
    *value = found.bits;
    return is_known;
  }
  char* end = NULL;
  double number = strtod(text, &end);
  if (end == text || *end != '\0' || !(number >= 0 && number < 1e15)) {
    return false;
  }
  *value = (int64_t)(number * fault_names[fault].scale + 0.5);
  return fault != HCA_MTU || hca_mtu_number(*value) != 0;
}

static const char* variable(const char* name) {
  char full[TEXT_BYTES];
  (void)snprintf(full, sizeof full, "TOMBOLO_HCA_%s", name);
  return getenv(full);
}

/* A setting that makes no sense must not look like one that was obeyed. */
static void refuse(const char* name, const char* text) {
  (void)fprintf(stderr, "emulated HCA: TOMBOLO_HCA_%s=%s makes no sense\n", name, text);
  abort();
}

static void read_nics(void) {
  const char* text = variable("NICS");
  text = text == NULL ? "ethernet,ethernet" : text;
  if (!each_word(text, add_nic, &machine)) {
    refuse("NICS", text);
  }
}

static void read_host(void) {
  const char* text = variable("HOST");
  char* end = NULL;
  long host = text == NULL ? 0 : strtol(text, &end, 10);
  if (text != NULL && (end == text || *end != '\0' || host < 0 || host > MAX_HOST)) {
    refuse("HOST", text);
  }
  machine.host = (int)host;
}

static int set_fabric(const char* name) {
  if (strlen(name) >= sizeof fabric) {
    return EINVAL;
  }
  (void)pthread_mutex_lock(&fabric_lock);
  (void)snprintf(fabric, sizeof fabric, "%s", name);
  (void)pthread_mutex_unlock(&fabric_lock);
  return 0;
}

void hca_fabric(char name[HCA_FABRIC_BYTES]) {
  (void)pthread_mutex_lock(&fabric_lock);
  memcpy(name, fabric, sizeof fabric);
  (void)pthread_mutex_unlock(&fabric_lock);
}

static void read_fabric(void) {
  const char* text = variable("FABRIC");
  text = text == NULL ? "default" : text;
  if (set_fabric(text) != 0) {
    refuse("FABRIC", text);
  }
  const char* rails = variable("RAILS");
  machine.is_railed = rails != NULL && strcmp(rails, "1") == 0;
}

static void read_environment(void) {
  read_nics();
  read_host();
  read_fabric();
  for (int fault = 0; fault < HCA_FAULTS; fault++) {
    const char* text = variable(fault_names[fault].name);
    int64_t value = 0;
    if (text != NULL && !parse_fault((enum hca_fault)fault, text, &value)) {
      refuse(fault_names[fault].name, text);
    }
    atomic_store(&faults[fault], value);
  }
}

const struct hca_machine* hca_machine(void) {
  (void)pthread_once(&once, read_environment);
  return &machine;
}

int64_t hca_fault(enum hca_fault fault) { return atomic_load_explicit(&faults[fault], memory_order_relaxed); }

int hca_profile_of_nic(int nic) { return (int)(hca_fault(HCA_PROFILE) >> PROFILE_BITS * nic & 15); }

int hca_set(const char* name, const char* value) {
  (void)hca_machine();
  if (strcmp(name, "FABRIC") == 0) {
    return set_fabric(value);
  }
  for (int fault = 0; fault < HCA_FAULTS; fault++) {
    int64_t number = 0;
    if (strcmp(name, fault_names[fault].name) == 0 && parse_fault((enum hca_fault)fault, value, &number)) {
      atomic_store(&faults[fault], number);
      return 0;
    }
  }
  return EINVAL;
}

/* How many there were. */
static int64_t one_less(enum hca_fault fault) {
  int64_t left = atomic_load(&faults[fault]);
  while (left > 0 && !atomic_compare_exchange_weak(&faults[fault], &left, left - 1)) {
  }
  return left;
}

bool hca_counts_down(enum hca_fault fault) { return one_less(fault) == 1; }

bool hca_spends(enum hca_fault fault) { return one_less(fault) > 0; }

void hca_strike(enum hca_fault fault, int nic) { (void)atomic_fetch_or(&faults[fault], INT64_C(1) << nic); }

bool hca_is_struck(enum hca_fault fault, int nic) { return (hca_fault(fault) >> nic & 1) != 0; }

void hca_heal(enum hca_fault fault, int nic) { (void)atomic_fetch_and(&faults[fault], ~(INT64_C(1) << nic)); }
