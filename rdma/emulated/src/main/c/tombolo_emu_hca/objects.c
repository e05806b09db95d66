// SPDX-License-Identifier: Apache-2.0
/* How many objects are alive, so that tests see what leaks; and what a test wants not to be made, or not to end. */
#include <errno.h>

#include "chance.h"
#include "hca.h"
#include "settings.h"
#include "verbs.h"

enum { MILLION = 1000000 };

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

bool hca_refuses(hca_context* context) {
  static _Atomic uint64_t asked;
  uint64_t draw = hca_mix(hca_mix((uint64_t)hca_fault(HCA_SEED)) + atomic_fetch_add(&asked, 1));
  return hca_is_silent(context) || draw % MILLION < (uint64_t)hca_fault(HCA_EIO_PPM);
}

int hca_end(const hca_context* context) { return context->is_dead ? EIO : 0; }

void hca_count(int change) { atomic_fetch_add(&living, change); }

HCA_VERB int64_t tombolo_hca_living(void) { return atomic_load(&living); }
