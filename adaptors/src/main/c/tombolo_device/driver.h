// SPDX-License-Identifier: Apache-2.0
/*
 * A vendor's device runtime, opened by name. The vendor's names and numbers come from a Java row (DeviceDialect); here
 * is one function pointer per role, and in calls.h one small function where vendors differ in more than names.
 */
#ifndef TOMBOLO_DRIVER_H
#define TOMBOLO_DRIVER_H

#include <jni.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

/* The size of an IPC handle is part of its call's shape, because it is passed by value. */
enum { IPC_BYTES = 64 };

typedef struct ipc_handle {
  unsigned char bytes[IPC_BYTES];
} ipc_handle;

struct device {
  const driver* driver;
  int ordinal;
  int device;
  void* context;
};

struct driver {
  void* library;
  void* symbol[ROLE_COUNT];
  char* name[ROLE_COUNT]; /* of the symbol; NULL where the vendor has no such call */
  jlong constant[CONSTANT_COUNT];
  jint shapes;   /* bits of Java's RuntimeCallShape */
  jlong refused; /* bits of roles: those that no round may call, see round.h */
  calls calls;
  atomic_uint_fast64_t* warned; /* a bit for each device that somebody has warned of; those from 64 on share them */
  const driver* next;
};

/* The opened row, the same for the same library; NULL with an exception pending. Lives as long as the process. */
const driver* driver_open(JNIEnv* env, jobjectArray libraries, jobjectArray roles, jobjectArray symbols,
                          jobjectArray constants, jlongArray values, jint shapes, jlong refused);

/* The vendor's call for `role` as a function of the given type. */
#define CALL(driver, role, ...) (((int (*)(__VA_ARGS__))(driver)->symbol[role]))

#endif
