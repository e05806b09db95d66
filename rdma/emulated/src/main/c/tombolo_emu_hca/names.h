// SPDX-License-Identifier: Apache-2.0
/* What emulated NICs are called, by people and by the network. Pure. */
#ifndef HCA_NAMES_H
#define HCA_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "witness_verbs.h"

enum { HCA_NAME_BYTES = 16, HCA_GIDS = 4, HCA_PKEYS = 2 };

/* A port: NICs have one each. */
struct hca_port {
  int host;
  int nic;
};

/* "emu-mlx5_0" for 0, or plainly "nic0". */
void hca_nic_name(int nic, bool is_plain, char name[HCA_NAME_BYTES]);

/* The NIC of that name, of either kind; -1 if nothing of this library is called so. */
int hca_nic_called(const char* name);

uint64_t hca_guid(struct hca_port port); /* as it lies in memory, big-endian */

uint16_t hca_lid(struct hca_port port);
bool hca_port_of_lid(uint16_t lid, struct hca_port* port);

/*
 * The tables are those of mlx5: on InfiniBand one GID, of the subnet and the GUID; on Ethernet the link-local address as
 * RoCE v1 and v2, and then the IPv4 address 10.78.<host>.<nic + 1> as RoCE v1 and v2.
 */
int hca_gid_count(bool is_infiniband);

/* `is_new`: once the port's interface has got another address, one bit of each differs. */
void hca_gid(struct hca_port port, bool is_infiniband, bool is_new, int index, union ib_gid* gid);
int hca_gid_type(bool is_infiniband, int index);
bool hca_port_of_gid(const union ib_gid* gid, bool is_infiniband, struct hca_port* port, bool* is_new);

/*
 * Each port's table: the default partition and another one. It is a full member of both, so only equal keys match. On
 * Ethernet, too, where real ports have the first alone.
 */
uint16_t hca_pkey(int index);

#endif
