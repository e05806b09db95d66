/* CclNative's collectives. The library's result goes back as it is, for Java to judge. */
#include "io_tombolo_adaptors_ccl_CclNative.h"
#include "look_up.h"

/* What every collective ends with, whatever the vendor: the library's enums are ints. */
typedef int (*all_reduce_fn)(const void*, void*, size_t, int, int, void*, void*);
typedef int (*reduce_fn)(const void*, void*, size_t, int, int, int, void*, void*);
typedef int (*broadcast_fn)(const void*, void*, size_t, int, int, void*, void*);
typedef int (*all_gather_fn)(const void*, void*, size_t, int, void*, void*);
typedef int (*send_fn)(const void*, size_t, int, int, void*, void*);
typedef int (*receive_fn)(void*, size_t, int, int, void*, void*);

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_allReduce0(JNIEnv* env, jclass type, jlong handle, jlong send,
                                                                         jlong receive, jlong count, jint data_type, jint op,
                                                                         jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, ALL_REDUCE, &object)
             ? ((all_reduce_fn)object.api.entries[ALL_REDUCE])(address(send), address(receive), (size_t)count, data_type, op,
                                                               object.communicator, address(stream))
             : FAILED;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_reduce0(JNIEnv* env, jclass type, jlong handle, jlong send,
                                                                      jlong receive, jlong count, jint data_type, jint op,
                                                                      jint root, jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, REDUCE, &object)
             ? ((reduce_fn)object.api.entries[REDUCE])(address(send), address(receive), (size_t)count, data_type, op, root,
                                                       object.communicator, address(stream))
             : FAILED;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_broadcast0(JNIEnv* env, jclass type, jlong handle, jlong send,
                                                                         jlong receive, jlong count, jint data_type,
                                                                         jint root, jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, BROADCAST, &object)
             ? ((broadcast_fn)object.api.entries[BROADCAST])(address(send), address(receive), (size_t)count, data_type, root,
                                                             object.communicator, address(stream))
             : FAILED;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_reduceScatter0(JNIEnv* env, jclass type, jlong handle,
                                                                             jlong send, jlong receive, jlong count,
                                                                             jint data_type, jint op, jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, REDUCE_SCATTER, &object)
             ? ((all_reduce_fn)object.api.entries[REDUCE_SCATTER])(address(send), address(receive), (size_t)count, data_type,
                                                                   op, object.communicator, address(stream))
             : FAILED;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_allGather0(JNIEnv* env, jclass type, jlong handle, jlong send,
                                                                         jlong receive, jlong count, jint data_type,
                                                                         jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, ALL_GATHER, &object)
             ? ((all_gather_fn)object.api.entries[ALL_GATHER])(address(send), address(receive), (size_t)count, data_type,
                                                               object.communicator, address(stream))
             : FAILED;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_allToAll0(JNIEnv* env, jclass type, jlong handle, jlong send,
                                                                        jlong receive, jlong count, jint data_type,
                                                                        jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, ALL_TO_ALL, &object)
             ? ((all_gather_fn)object.api.entries[ALL_TO_ALL])(address(send), address(receive), (size_t)count, data_type,
                                                               object.communicator, address(stream))
             : FAILED;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_gather0(JNIEnv* env, jclass type, jlong handle, jlong send,
                                                                      jlong receive, jlong count, jint data_type, jint root,
                                                                      jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, GATHER, &object)
             ? ((broadcast_fn)object.api.entries[GATHER])(address(send), address(receive), (size_t)count, data_type, root,
                                                          object.communicator, address(stream))
             : FAILED;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_scatter0(JNIEnv* env, jclass type, jlong handle, jlong send,
                                                                       jlong receive, jlong count, jint data_type,
                                                                       jint root, jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, SCATTER, &object)
             ? ((broadcast_fn)object.api.entries[SCATTER])(address(send), address(receive), (size_t)count, data_type, root,
                                                           object.communicator, address(stream))
             : FAILED;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_send0(JNIEnv* env, jclass type, jlong handle, jlong from,
                                                                    jlong count, jint data_type, jint peer,
                                                                    jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, SEND, &object)
             ? ((send_fn)object.api.entries[SEND])(address(from), (size_t)count, data_type, peer, object.communicator,
                                                   address(stream))
             : FAILED;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_receive0(JNIEnv* env, jclass type, jlong handle, jlong to,
                                                                       jlong count, jint data_type, jint peer,
                                                                       jlong stream) {
  (void)type;
  struct ccl_object object;
  return look_up(env, handle, RECEIVE, &object)
             ? ((receive_fn)object.api.entries[RECEIVE])(address(to), (size_t)count, data_type, peer, object.communicator,
                                                         address(stream))
             : FAILED;
}
