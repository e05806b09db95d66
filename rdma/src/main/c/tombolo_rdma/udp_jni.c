// SPDX-License-Identifier: Apache-2.0
/* The door from Java to datagrams. Addresses point into blocks that Java keeps mapped; indexes are Java's own. */
#include <errno.h>
#include <unistd.h>

#include "io_tombolo_rdma_udp_UdpSystem.h"
#include "udp_socket.h"

enum { IP_BYTES = 16 };

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_udp_UdpSystem_open0(JNIEnv* env, jclass type, jbyteArray ip, jint port,
                                                                jint buffer_bytes) {
  (void)type;
  uint8_t address[IP_BYTES];
  if ((*env)->GetArrayLength(env, ip) != IP_BYTES) return -EINVAL;
  (*env)->GetByteArrayRegion(env, ip, 0, IP_BYTES, (jbyte*)address);
  return udp_open(address, port, buffer_bytes);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_udp_UdpSystem_port0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return udp_port(fd);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_udp_UdpSystem_receiveBuffer0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return udp_receive_buffer(fd);
}

JNIEXPORT jboolean JNICALL Java_io_tombolo_rdma_udp_UdpSystem_cuts0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return udp_cuts(fd);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_udp_UdpSystem_send0(JNIEnv* env, jclass type, jint fd, jint kind,
                                                                jlong packets, jlong order, jint count) {
  (void)env;
  (void)type;
  return udp_send(fd, kind, (const struct udp_packet*)(uintptr_t)packets, (const int32_t*)(uintptr_t)order, count);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_udp_UdpSystem_receive0(JNIEnv* env, jclass type, jint fd, jlong packets,
                                                                   jlong order, jint count) {
  (void)env;
  (void)type;
  return udp_receive(fd, (struct udp_packet*)(uintptr_t)packets, (const int32_t*)(uintptr_t)order, count);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_udp_UdpSystem_close0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return close(fd) == 0 ? 0 : -errno;
}
