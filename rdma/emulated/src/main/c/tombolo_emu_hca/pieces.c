// SPDX-License-Identifier: Apache-2.0
/* Between the pieces of a request and one run of bytes. */
#include <string.h>

#include "hca.h"

bool hca_gather(hca_qp* qp, const hca_request* request, size_t offset, unsigned char* to, size_t length) {
  if ((request->wr.send_flags & IBV_SEND_INLINE) != 0) {
    memcpy(to, request->inline_data + offset, length);
    return true;
  }
  for (int i = 0; i < request->wr.num_sge && length > 0; i++) {
    const struct ib_sge* piece = &request->sge[i];
    if (offset >= piece->length) {
      offset -= piece->length;
      continue;
    }
    size_t part = piece->length - offset < length ? piece->length - offset : length;
    const unsigned char* from = hca_local(hca_context_of(qp), qp->base.pd, piece->lkey, piece->addr + offset, part, 0);
    if (from == NULL) {
      return false;
    }
    memcpy(to, from, part);
    to += part;
    length -= part;
    offset = 0;
  }
  return length == 0;
}

bool hca_scatter(hca_qp* qp, const struct ib_sge* sge, int pieces, size_t offset, const unsigned char* from,
                 size_t length) {
  for (int i = 0; i < pieces && length > 0; i++) {
    if (offset >= sge[i].length) {
      offset -= sge[i].length;
      continue;
    }
    size_t part = sge[i].length - offset < length ? sge[i].length - offset : length;
    unsigned char* to = hca_local(hca_context_of(qp), qp->base.pd, sge[i].lkey, sge[i].addr + offset, part,
                                  IBV_ACCESS_LOCAL_WRITE);
    if (to == NULL) {
      return false;
    }
    memcpy(to, from, part);
    from += part;
    length -= part;
    offset = 0;
  }
  return length == 0;
}
