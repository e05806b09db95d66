// SPDX-License-Identifier: Apache-2.0
/* The door from Java to TCP connections. */
#include "io_tombolo_rdma_tcp_TcpSystem.h"
#include "tcp_socket.h"

JNIEXPORT jlong JNICALL Java_io_tombolo_rdma_tcp_TcpSystem_unanswered0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return tcp_unanswered(fd);
}
