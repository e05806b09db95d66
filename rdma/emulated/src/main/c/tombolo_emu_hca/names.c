// SPDX-License-Identifier: Apache-2.0
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "settings.h"

enum { CHANGING = 12 }; /* the byte of a GID whose lowest bit is set in the new ones */

void hca_nic_name(int nic, bool is_plain, char name[HCA_NAME_BYTES]) {
  (void)snprintf(name, HCA_NAME_BYTES, is_plain ? "nic%d" : "emu-mlx5_%d", nic);
}

static bool is_called(int nic, bool is_plain, const char* name) {
  char candidate[HCA_NAME_BYTES];
  hca_nic_name(nic, is_plain, candidate);
  return strcmp(name, candidate) == 0;
}

int hca_nic_called(const char* name) {
  for (int nic = 0; nic < HCA_MAX_NICS; nic++) {
    if (is_called(nic, false, name) || is_called(nic, true, name)) {
      return nic;
    }
  }
  return -1;
}

/* EUI-64 of a locally administered MAC address 02:e0:00:<host>:00:<nic>, its local bit turned as IPv6 wants it. */
static void interface_of(struct hca_port port, uint8_t bytes[8]) {
  const uint8_t made[8] = {0x00, 0xe0, 0x00, 0xff, 0xfe, (uint8_t)port.host, 0x00, (uint8_t)port.nic};
  memcpy(bytes, made, sizeof made);
}

uint64_t hca_guid(struct hca_port port) {
  uint64_t guid;
  uint8_t bytes[8];
  interface_of(port, bytes);
  memcpy(&guid, bytes, sizeof guid);
  return guid;
}

uint16_t hca_lid(struct hca_port port) { return (uint16_t)(1 + port.host * HCA_MAX_NICS + port.nic); }

bool hca_port_of_lid(uint16_t lid, struct hca_port* port) {
  *port = (struct hca_port){(lid - 1) / HCA_MAX_NICS, (lid - 1) % HCA_MAX_NICS};
  return lid != 0 && port->host < 256;
}

int hca_gid_count(bool is_infiniband) { return is_infiniband ? 1 : HCA_GIDS; }

static void link_local(struct hca_port port, union ib_gid* gid) {
  memset(gid, 0, sizeof *gid);
  gid->raw[0] = 0xfe;
  gid->raw[1] = 0x80;
  interface_of(port, gid->raw + 8);
}

static void ipv4(struct hca_port port, union ib_gid* gid) {
  const uint8_t made[16] = {[10] = 0xff, [11] = 0xff, [12] = 10, [13] = 78,
                            [14] = (uint8_t)port.host, [15] = (uint8_t)(port.nic + 1)};
  memcpy(gid->raw, made, sizeof made);
}

void hca_gid(struct hca_port port, bool is_infiniband, bool is_new, int index, union ib_gid* gid) {
  if (is_infiniband || index < 2) {
    link_local(port, gid);
  } else {
    ipv4(port, gid);
  }
  gid->raw[CHANGING] ^= is_new ? 1 : 0;
}

int hca_gid_type(bool is_infiniband, int index) {
  if (is_infiniband) {
    return IBV_GID_TYPE_IB;
  }
  return index % 2 == 0 ? IBV_GID_TYPE_ROCE_V1 : IBV_GID_TYPE_ROCE_V2;
}

/* Guesses the port from where both forms keep it, and believes that only if the port has exactly this GID. */
bool hca_port_of_gid(const union ib_gid* gid, bool is_infiniband, struct hca_port* port, bool* is_new) {
  const struct hca_port guesses[2] = {{gid->raw[13], gid->raw[15]}, {gid->raw[14], gid->raw[15] - 1}};
  *is_new = (gid->raw[CHANGING] & 1) != 0;
  for (int i = 0; i < (is_infiniband ? 1 : 2); i++) {
    union ib_gid expected;
    hca_gid(guesses[i], is_infiniband, *is_new, i * 2, &expected);
    if (memcmp(&expected, gid, sizeof expected) == 0 && guesses[i].nic >= 0 && guesses[i].nic < HCA_MAX_NICS) {
      *port = guesses[i];
      return true;
    }
  }
  return false;
}

uint16_t hca_pkey(int index) { return index == 0 ? 0xffff : 0x8001; }
