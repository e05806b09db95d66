// SPDX-License-Identifier: Apache-2.0
/* Memory windows of type 1: part of a region under a key of its own, changed by a request in the send queue. */
#include <errno.h>
#include <stdlib.h>

#include "hca.h"

struct ib_mw* hca_alloc_mw(struct ib_pd* pd, int type) {
  hca_context* context = hca_of(pd->context);
  if (type != IBV_MW_TYPE_1 || context->profile->max_windows == 0) {
    errno = EOPNOTSUPP;
    return NULL;
  }
  hca_lock(context);
  bool has_room = context->windows < context->profile->max_windows;
  hca_unlock(context);
  hca_window* window = has_room && hca_may_make() ? calloc(1, sizeof *window) : NULL;
  if (window == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  hca_lock(context);
  context->windows++;
  window->base = (struct ib_mw){pd->context, pd, hca_key_new(context, NULL, window), 0, type};
  hca_use_domain(pd, 1);
  hca_unlock(context);
  return &window->base;
}

static void unbind(hca_window* window) {
  if (window->region != NULL) {
    window->region->windows--;
    window->region = NULL;
  }
}

int hca_dealloc_mw(struct ib_mw* mw) {
  if (hca_refuses(hca_of(mw->context))) {
    return EIO;
  }
  hca_context* context = hca_of(mw->context);
  hca_lock(context);
  context->windows--;
  unbind((hca_window*)mw);
  hca_key_drop(context, mw->rkey);
  hca_use_domain(mw->pd, -1);
  int error = hca_end(context);
  hca_unlock(context);
  free(mw);
  return error;
}

bool hca_window_bind(hca_window* window, const struct ib_mw_bind_info* to) {
  unbind(window);
  if (to->length == 0) {
    return true;
  }
  hca_region* region = (hca_region*)to->mr;
  unsigned needed = IBV_ACCESS_MW_BIND |
                    ((to->mw_access_flags & IBV_ACCESS_REMOTE_WRITE) != 0 ? IBV_ACCESS_LOCAL_WRITE : 0u);
  if (region == NULL || region->base.pd != window->base.pd || (region->access & needed) != needed ||
      to->addr < region->iova || to->addr - region->iova > region->base.length ||
      to->length > region->base.length - (to->addr - region->iova)) {
    return false;
  }
  region->windows++;
  window->region = region;
  window->start = to->addr;
  window->length = to->length;
  window->access = to->mw_access_flags;
  return true;
}
