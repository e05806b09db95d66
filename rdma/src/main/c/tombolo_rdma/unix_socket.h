// SPDX-License-Identifier: Apache-2.0
/*
 * Abstract Unix stream sockets, sealed memory segments, and passing the latter through the former.
 *
 * All sockets are non-blocking and close on exec. Functions return a descriptor, a count or 0; or -errno.
 * Abstract names live in the network namespace and vanish with their socket: nothing is left behind by a kill -9.
 */
#ifndef TOMBOLO_UNIX_SOCKET_H
#define TOMBOLO_UNIX_SOCKET_H

#include <stddef.h>
#include <stdint.h>

int unix_listen(const char* name, size_t length);
int unix_accept(int listener);

/* -EAGAIN if the listener's backlog is full: try again later. */
int unix_connect(const char* name, size_t length);

/* Bytes read; -EPIPE at the end of the stream; -EAGAIN if there is nothing now. */
int64_t unix_read(int fd, void* bytes, size_t size);
int64_t unix_write(int fd, const void* bytes, size_t size);

/* 1 if the other end has closed or died, 0 if not; bytes not yet read count as alive. */
int unix_peer_gone(int fd);

/*
 * The process at the other end, as the kernel names it here: of a socket that was accepted the one that connected, of one
 * that was connected the one that listens. 0 if this process cannot see it, or if it is another user's: it could leave the
 * socket to a child, and become a program that this process may read and it may not.
 */
int unix_peer_process(int fd);

/* Ends both directions, for all who have a copy of the descriptor: a child of a fork, too. The descriptor stays open. */
int unix_shut_down(int fd);

/* Sends one byte with a descriptor attached; the descriptor stays the caller's. */
int unix_send_fd(int fd, int passed);

/* The descriptor attached to the next byte, now the caller's. -EBADMSG if that byte carries none. */
int unix_receive_fd(int fd);

/* A memory file of exactly this size, sealed against changing it. */
int segment_create(int64_t size);

/* 0 if the file has this size and cannot change it, so that mapping it is safe; else -EBADMSG. */
int segment_check(int fd, int64_t size);

#endif
