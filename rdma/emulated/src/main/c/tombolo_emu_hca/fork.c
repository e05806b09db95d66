// SPDX-License-Identifier: Apache-2.0
/* Memory that a NIC reads and writes must not be given to a child in the parent's place when one is forked. */
#include <errno.h>
#include <stdatomic.h>

#include "hca.h"

static atomic_bool is_protected;
static atomic_bool is_too_late;

void hca_registers_memory(void) {
  if (!atomic_load(&is_protected)) {
    atomic_store(&is_too_late, true);
  }
}

/* What is registered already is not protected any more: libibverbs says EINVAL then. */
HCA_VERB int ibv_fork_init(void) {
  if (atomic_load(&is_too_late)) {
    return EINVAL;
  }
  atomic_store(&is_protected, true);
  return 0;
}

HCA_VERB int tombolo_hca_is_fork_safe(void) { return atomic_load(&is_protected); }
