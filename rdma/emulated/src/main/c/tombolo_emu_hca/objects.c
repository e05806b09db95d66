// SPDX-License-Identifier: Apache-2.0
/* How many objects are alive, so that tests see what leaks; and the one that a test wants not to be made. */
#include <errno.h>

#include "hca.h"
#include "settings.h"
#include "verbs.h"

static _Atomic int64_t living;

bool hca_may_make(void) {
  (void)hca_machine(); /* which reads the faults */
  if (hca_counts_down(HCA_FAIL_CREATE_AT)) {
    errno = ENOMEM;
    return false;
  }
  return true;
}

void hca_own(hca_context* context, int change) {
  context->objects += change;
  hca_count(change);
}

int hca_end(const hca_context* context) { return context->is_dead ? EIO : 0; }

void hca_count(int change) { atomic_fetch_add(&living, change); }

HCA_VERB int64_t tombolo_hca_living(void) { return atomic_load(&living); }
