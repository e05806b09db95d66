// SPDX-License-Identifier: Apache-2.0
/* What devices of one driver can do, and what they refuse. */
#ifndef HCA_PROFILE_H
#define HCA_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hca_profile {
  const char* name;
  int node;
  int transport;
  int link_layer;      /* HCA_LINK_OF_NIC: as the NIC's word in TOMBOLO_HCA_NICS says */
  unsigned pair_types; /* bit IBV_QPT_... for each that it makes */
  uint32_t max_inline;
  uint32_t max_requests;    /* of a queue of a pair, and of shared receives */
  uint32_t max_completions; /* of a completion queue */
  bool says_windows;        /* has the flag of memory windows */
  int max_windows;          /* that it can really make */
  bool has_shared_receives;
  bool has_dmabuf;
  bool tells_of_requests; /* an event says that a pair broke by a request, too, as of one that breaks by itself */
} hca_profile;

enum { HCA_LINK_OF_NIC = -1, HCA_PROFILES = 8 };

/* What this emulation has of each: of real devices, those that are said to have more have that. */
enum { HCA_MAX_INLINE = 256, HCA_MAX_DEPTH = 16384, HCA_MAX_COMPLETIONS = 16 * HCA_MAX_DEPTH, HCA_MAX_WINDOWS = 1 << 20 };

/* The profile `number`, from 0; NULL beyond the last. 0 is what is emulated unless something else is asked for. */
const hca_profile* hca_profile_at(int64_t number);

/* The number of the profile called `name`; negative if there is none. */
int hca_profile_called(const char* name);

static inline bool hca_profile_makes(const hca_profile* profile, int pair_type) {
  return pair_type >= 0 && pair_type < 32 && (profile->pair_types >> pair_type & 1) != 0;
}

#endif
