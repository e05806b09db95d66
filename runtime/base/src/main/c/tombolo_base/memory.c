// SPDX-License-Identifier: Apache-2.0
/* Host memory outside the Java heap. Addresses cross as 64-bit integers; Java's NativeMemory checks every range. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io_tombolo_base_NativeMemory.h"

static jlong map(int fd, jlong size, int protection, int flags) {
  void* block = mmap(NULL, (size_t)size, protection, flags, fd, 0);
  return block == MAP_FAILED ? -(jlong)errno : (jlong)(intptr_t)block;
}

/* Pages arrive zeroed and only when touched, so a large arena costs nothing until it is used. */
JNIEXPORT jlong JNICALL
Java_io_tombolo_base_NativeMemory_allocate0(JNIEnv* env, jclass type, jlong size) {
  (void)env;
  (void)type;
  return map(-1, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
}

/* Advice: a system that has no huge pages, or none left, says so, and everything works as it does. */
JNIEXPORT void JNICALL
Java_io_tombolo_base_NativeMemory_preferHugePages0(JNIEnv* env, jclass type, jlong address, jlong size) {
  (void)env;
  (void)type;
  (void)madvise((void*)(intptr_t)address, (size_t)size, MADV_HUGEPAGE);
}

JNIEXPORT jlong JNICALL
Java_io_tombolo_base_NativeMemory_map0(JNIEnv* env, jclass type, jint fd, jlong size) {
  (void)env;
  (void)type;
  return map(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED);
}

JNIEXPORT jlong JNICALL
Java_io_tombolo_base_NativeMemory_mapReadOnly0(JNIEnv* env, jclass type, jint fd, jlong size) {
  (void)env;
  (void)type;
  return map(fd, size, PROT_READ, MAP_SHARED);
}

JNIEXPORT void JNICALL
Java_io_tombolo_base_NativeMemory_unmap0(JNIEnv* env, jclass type, jlong address, jlong size) {
  (void)env;
  (void)type;
  (void)munmap((void*)(intptr_t)address, (size_t)size);
}

JNIEXPORT void JNICALL Java_io_tombolo_base_NativeMemory_close0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  (void)close(fd);
}

JNIEXPORT void JNICALL
Java_io_tombolo_base_NativeMemory_copy0(JNIEnv* env, jclass type, jlong destination, jlong source, jlong size) {
  (void)env;
  (void)type;
  memcpy((void*)(intptr_t)destination, (const void*)(intptr_t)source, (size_t)size);
}

JNIEXPORT void JNICALL
Java_io_tombolo_base_NativeMemory_fill0(JNIEnv* env, jclass type, jlong destination, jbyte value, jlong size) {
  (void)env;
  (void)type;
  memset((void*)(intptr_t)destination, value, (size_t)size);
}

JNIEXPORT jobject JNICALL
Java_io_tombolo_base_NativeMemory_view0(JNIEnv* env, jclass type, jlong address, jlong size) {
  (void)type;
  return (*env)->NewDirectByteBuffer(env, (void*)(intptr_t)address, size);
}
