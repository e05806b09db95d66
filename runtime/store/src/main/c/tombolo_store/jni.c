// SPDX-License-Identifier: Apache-2.0
/* The door from Java. */
#include <errno.h>
#include <unistd.h>

#include "io_tombolo_store_memory_MemoryFile.h"
#include "memory_file.h"

JNIEXPORT jint JNICALL Java_io_tombolo_store_memory_MemoryFile_create0(JNIEnv* env, jclass type, jlong size) {
  (void)env;
  (void)type;
  return memory_file_create(size);
}

JNIEXPORT jlong JNICALL Java_io_tombolo_store_memory_MemoryFile_inode0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return memory_file_inode(fd);
}

JNIEXPORT jint JNICALL Java_io_tombolo_store_memory_MemoryFile_open0(JNIEnv* env, jclass type, jlong pid, jint number,
                                                                    jlong inode, jlong size, jboolean writable) {
  (void)env;
  (void)type;
  return memory_file_open(pid, number, inode, size, writable == JNI_TRUE);
}

JNIEXPORT jint JNICALL Java_io_tombolo_store_memory_MemoryFile_close0(JNIEnv* env, jclass type, jint fd) {
  (void)env;
  (void)type;
  return close(fd) == 0 ? 0 : -errno;
}
