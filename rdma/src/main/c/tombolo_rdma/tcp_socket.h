// SPDX-License-Identifier: Apache-2.0
/* What the kernel knows of a TCP connection that is Java's. */
#ifndef TOMBOLO_TCP_SOCKET_H
#define TOMBOLO_TCP_SOCKET_H

#include <stdint.h>

/*
 * 0 if the peer's kernel has acknowledged all that was sent. Else 1; and while it is asked again in vain, as many
 * milliseconds more as it has acknowledged nothing for. -errno if the kernel does not tell.
 *
 * TCP_USER_TIMEOUT is not used: it also ends connections whose peer answers, but has no room for more yet.
 */
int64_t tcp_unanswered(int fd);

#endif
