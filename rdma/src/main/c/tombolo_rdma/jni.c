// SPDX-License-Identifier: Apache-2.0
/* The door from Java. Bytes are copied through a small buffer: only handshakes travel here. */
#include <errno.h>
#include <unistd.h>

#include "io_tombolo_rdma_shm_UnixSystem.h"
#include "process_memory.h"
#include "unix_socket.h"

enum { MAX_BYTES = 256 };

/* Copies a short name out of Java; its length, or -EINVAL. */
static int name_of(JNIEnv* env, jbyteArray name, char out[MAX_BYTES]) {
  jsize length = (*env)->GetArrayLength(env, name);
  if (length > MAX_BYTES) return -EINVAL;
  (*env)->GetByteArrayRegion(env, name, 0, length, (jbyte*)out);
  return length;
}

static int is_inside(JNIEnv* env, jbyteArray bytes, jint from, jint length) {
  jsize size = (*env)->GetArrayLength(env, bytes);
  return from >= 0 && length >= 0 && from <= size && length <= size - from;
}

static jint smaller(jint a, jint b) { return a < b ? a : b; }

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_listen0(JNIEnv* env, jclass type, jbyteArray name) {
  (void)type;
  char text[MAX_BYTES];
  int length = name_of(env, name, text);
  return length < 0 ? length : unix_listen(text, (size_t)length);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_accept0(JNIEnv* env, jclass type, jint listener) {
  (void)env;
  (void)type;
  return unix_accept(listener);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_connect0(JNIEnv* env, jclass type, jbyteArray name) {
  (void)type;
  char text[MAX_BYTES];
  int length = name_of(env, name, text);
  return length < 0 ? length : unix_connect(text, (size_t)length);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_read0(JNIEnv* env, jclass type, jint fd, jbyteArray bytes,
                                                                jint from, jint length) {
  (void)type;
  if (!is_inside(env, bytes, from, length)) return -EINVAL;
  jbyte buffer[MAX_BYTES];
  int64_t got = unix_read(fd, buffer, (size_t)smaller(length, MAX_BYTES));
  if (got > 0) (*env)->SetByteArrayRegion(env, bytes, from, (jsize)got, buffer);
  return (jint)got;
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_write0(JNIEnv* env, jclass type, jint fd, jbyteArray bytes,
                                                                 jint from, jint length) {
  (void)type;
  if (!is_inside(env, bytes, from, length)) return -EINVAL;
  jbyte buffer[MAX_BYTES];
  jint count = smaller(length, MAX_BYTES);
  (*env)->GetByteArrayRegion(env, bytes, from, count, buffer);
  return (jint)unix_write(fd, buffer, (size_t)count);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_peerGone0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return unix_peer_gone(fd);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_peerProcess0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return unix_peer_process(fd);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_shutDown0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return unix_shut_down(fd);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_mayReadProcess0(JNIEnv* env, jclass type, jint process) {
  (void)env;
  (void)type;
  return process_may_be_read(process);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_readProcess0(JNIEnv* env, jclass type, jint process, jlong to,
                                                                       jlong from, jint bytes) {
  (void)env;
  (void)type;
  return process_read(process, (void*)(intptr_t)to, (uint64_t)from, (uint64_t)bytes);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_sendFd0(JNIEnv* env, jclass type, jint fd, jint passed) {
  (void)env;
  (void)type;
  return unix_send_fd(fd, passed);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_receiveFd0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return unix_receive_fd(fd);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_createSegment0(JNIEnv* env, jclass type, jlong size) {
  (void)env;
  (void)type;
  return segment_create(size);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_checkSegment0(JNIEnv* env, jclass type, jint fd,
                                                                        jlong size) {
  (void)env;
  (void)type;
  return segment_check(fd, size);
}

JNIEXPORT jint JNICALL Java_io_tombolo_rdma_shm_UnixSystem_close0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return close(fd) == 0 ? 0 : -errno;
}
