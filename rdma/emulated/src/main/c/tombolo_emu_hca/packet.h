// SPDX-License-Identifier: Apache-2.0
/* What travels between emulated NICs: a header of our own, with what InfiniBand's headers say, and up to one MTU. */
#ifndef HCA_PACKET_H
#define HCA_PACKET_H

#include <stdbool.h>
#include <stdint.h>

enum { HCA_MAGIC = 0x74686361, HCA_MAX_MTU = 4096 };

/* The bytes of the MTU that InfiniBand calls `number`, 1 to 5; 0 if there is none. */
static inline int hca_mtu_bytes(int number) { return number < 1 || number > 5 ? 0 : 128 << number; }

/* What it calls one of so many bytes; 0 if there is none. */
static inline int hca_mtu_number(int64_t bytes) {
  int number = 5;
  while (number > 0 && hca_mtu_bytes(number) != bytes) {
    number--;
  }
  return number;
}

enum hca_kind { HCA_SEND, HCA_WRITE, HCA_READ, HCA_READ_ANSWER, HCA_ACK, HCA_DATAGRAM, HCA_KINDS };

enum { HCA_FIRST = 1, HCA_LAST = 2, HCA_IMMEDIATE = 4, HCA_SOLICITED = 8, HCA_ASKS_ACK = 16, HCA_GLOBAL = 32 };

/* The bits of a traffic class that are marks (RFC 3168): 0 is not marked by anybody, all set is marked. */
enum { HCA_ECN = 3 };

/* InfiniBand's syndromes: what an HCA_ACK says. */
enum {
  HCA_ACKNOWLEDGED = 0x00,
  HCA_NOT_READY = 0x20, /* its lower 5 bits: for how long */
  HCA_OUT_OF_SEQUENCE = 0x60,
  HCA_INVALID_REQUEST = 0x61,
  HCA_ACCESS_ERROR = 0x62,
  HCA_OPERATION_ERROR = 0x63
};

struct hca_header {
  uint32_t magic;
  uint8_t kind;
  uint8_t flags;
  uint8_t syndrome;
  uint8_t service_level;
  uint32_t source_qpn;
  uint32_t qpn;
  uint32_t psn;
  uint32_t immediate;
  uint32_t qkey;
  uint32_t rkey;
  uint64_t address;
  uint64_t length; /* of the whole message, in its first packet */
  uint32_t payload; /* bytes that follow */
  uint16_t source_lid;
  uint16_t pkey;
  uint8_t traffic_class;
  uint8_t reserved[3];
  uint8_t source_gid[16];
  uint8_t gid[16];
};

/* Packet sequence numbers have 24 bits and wrap. */
static inline uint32_t hca_psn(uint32_t number) { return number & 0xffffff; }

/* How far `a` is after `b`; negative if before. */
static inline int32_t hca_psn_after(uint32_t a, uint32_t b) { return (int32_t)((a - b) << 8) >> 8; }

#endif
