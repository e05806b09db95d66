/*
 * A vendor's device runtime, opened by name. The vendor's names and numbers come from a Java row (DeviceDialect); here
 * is one function pointer per role, and one small function per call shape where vendors differ in more than names.
 */
#ifndef TOMBOLO_DRIVER_H
#define TOMBOLO_DRIVER_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* The same words in the same order as Java's Role and Constant; opening a row checks it. */
#define ROLES(X)                                                                                              \
  X(INIT) X(DRIVER_VERSION) X(ERROR_NAME) X(ERROR_TEXT)                                                       \
  X(DEVICE_COUNT) X(DEVICE_GET) X(DEVICE_NAME) X(PCI_BUS_ID) X(TOTAL_MEMORY)                                  \
  X(CONTEXT_RETAIN) X(CONTEXT_RELEASE) X(SET_CURRENT)                                                         \
  X(ALLOCATE) X(FREE) X(HOST_ALLOCATE) X(HOST_FREE) X(HOST_REGISTER) X(HOST_UNREGISTER)                       \
  X(STREAM_CREATE) X(STREAM_DESTROY) X(STREAM_QUERY) X(STREAM_WAIT_EVENT)                                     \
  X(EVENT_CREATE) X(EVENT_RECORD) X(EVENT_QUERY) X(EVENT_DESTROY)                                             \
  X(COPY_TO_DEVICE) X(COPY_TO_HOST) X(COPY_ON_DEVICE) X(FILL) X(WAIT_VALUE) X(WRITE_VALUE)                    \
  X(IPC_EXPORT) X(IPC_OPEN) X(IPC_CLOSE) X(FLUSH)

#define CONSTANTS(X)                                                                                          \
  X(SUCCESS) X(NOT_READY) X(OUT_OF_MEMORY) X(STREAM_NON_BLOCKING) X(EVENT_NO_TIMING)                          \
  X(HOST_ALLOCATE_PORTABLE) X(HOST_ALLOCATE_MAPPED) X(HOST_REGISTER_PORTABLE) X(HOST_REGISTER_MAPPED)         \
  X(WAIT_AT_LEAST) X(WRITE_PLAIN) X(IPC_OPEN_FLAGS) X(FLUSH_TARGET) X(FLUSH_SCOPE)

#define AS_ENUM(word) word,
typedef enum role { ROLES(AS_ENUM) ROLE_COUNT } role;
typedef enum constant { CONSTANTS(AS_ENUM) CONSTANT_COUNT } constant;
#undef AS_ENUM

/* Java's CallShape: how a row differs from the first of its kind. */
enum { SHAPE_ORDINAL_IS_CONTEXT = 1, SHAPE_TEXT_IS_RETURNED = 2, SHAPE_WAIT_HAS_MASK = 4 };

/* The size of an IPC handle is part of its call's shape, because it is passed by value. */
enum { IPC_BYTES = 64 };

typedef struct ipc_handle {
  unsigned char bytes[IPC_BYTES];
} ipc_handle;

typedef struct driver driver;

typedef struct device {
  const driver* driver;
  int ordinal;
  int device;
  void* context;
} device;

struct driver {
  void* library;
  void* symbol[ROLE_COUNT];
  char* name[ROLE_COUNT]; /* of the symbol; NULL where the vendor has no such call */
  jlong constant[CONSTANT_COUNT];
  jint shapes;
  int (*set_current)(const device* on);
  const char* (*text)(const driver* of, role which, int code);
  int (*wait_value)(const driver* by, void* stream, uint64_t word, uint64_t value);
  const driver* next;
};

/* The opened row, the same for the same library; NULL with an exception pending. Lives as long as the process. */
const driver* driver_open(JNIEnv* env, jobjectArray libraries, jobjectArray roles, jobjectArray symbols,
                          jobjectArray constants, jlongArray values, jint shapes);

/* The vendor's call for `role` as a function of the given type. */
#define CALL(driver, role, ...) (((int (*)(__VA_ARGS__))(driver)->symbol[role]))

#endif
