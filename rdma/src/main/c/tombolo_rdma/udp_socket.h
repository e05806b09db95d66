// SPDX-License-Identifier: Apache-2.0
/*
 * One datagram socket, and batches of packets through it: one call sends or receives many.
 *
 * Functions return a descriptor, a count or 0; or -errno. The socket is non-blocking, closes on exec and does not
 * fragment: a packet too long for its path is an error, not a slow success.
 */
#ifndef TOMBOLO_UDP_SOCKET_H
#define TOMBOLO_UDP_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

/* What one packet is, laid out once by Java (PacketSlots.java): 64 bytes, native byte order. */
struct udp_packet {
  uint64_t bytes;    /* address of the first */
  uint32_t size;     /* to be sent; or received, 0 if the packet was longer than the slot */
  uint32_t capacity; /* room for what is received */
  uint8_t ip[16];    /* of the peer, IPv4 mapped into IPv6 (RFC 4291, 2.5.5.2) */
  uint32_t port;     /* of the peer, as a number */
  uint32_t scope;    /* of a link-local address, else 0 */
  uint8_t ecn;       /* the field of the IP header (RFC 3168): 2, ECT(0), may be marked; 3 is the mark of a long queue */
  uint8_t zero[23];
};

/* Binds to this address (16 bytes; IPv4 mapped) and port, 0 for any; asks for buffers of so many bytes. */
int udp_open(const uint8_t ip[16], int port, int buffer_bytes);

/* The port that the socket is bound to. */
int udp_port(int fd);

/* Whether this kernel cuts what it is given into packets (UDP_SEGMENT, Linux 4.18). */
bool udp_cuts(int fd);

/* Bytes that the kernel keeps for us, its own bookkeeping included. */
int udp_receive_buffer(int fd);

/*
 * How many of packets[order[0]] and on the kernel can cut out of one piece: to the same peer, equal in `ecn`, as long as the
 * first, but for the last, which may be shorter. At least 1.
 */
int udp_run(const struct udp_packet* packets, const int32_t* order, int count);

/* What a socket is, as far as sending goes. */
enum udp_kind { UDP_V6 = 1, UDP_CUTS = 2 };

/*
 * Sends packets[order[0]] to packets[order[count - 1]] through a socket of `kind`: bound to an IPv6 address or not, and whether
 * udp_cuts. How many went, or -errno if the first did not.
 */
int udp_send(int fd, int kind, const struct udp_packet* packets, const int32_t* order, int count);

/* Receives into packets[order[0]] and on, at most count; how many came. */
int udp_receive(int fd, struct udp_packet* packets, const int32_t* order, int count);

#endif
