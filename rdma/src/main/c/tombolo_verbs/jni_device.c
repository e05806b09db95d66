// SPDX-License-Identifier: Apache-2.0
/* The library, its devices, and what they say of themselves. */
#include <fcntl.h>
#include <string.h>

#include "jni.h"

enum { NAME_BYTES = 4096, PROBLEM_BYTES = 1024 };

static void copy_name(JNIEnv* env, jbyteArray from, char* to, jsize bytes) {
  jsize length = (*env)->GetArrayLength(env, from);
  length = length < bytes ? length : bytes - 1;
  (*env)->GetByteArrayRegion(env, from, 0, length, (jbyte*)to);
  to[length] = '\0';
}

ENTRY(jlong, openLibrary0)(JNIEnv* env, jclass type, jbyteArray name, jbyteArray problem) {
  (void)type;
  char file[NAME_BYTES];
  char why[PROBLEM_BYTES] = "";
  copy_name(env, name, file, NAME_BYTES);
  verbs_library* library = verbs_open(file, why, sizeof why);
  if (library == NULL) {
    jsize room = (*env)->GetArrayLength(env, problem);
    jsize length = (jsize)strlen(why);
    (*env)->SetByteArrayRegion(env, problem, 0, length < room ? length : room, (const jbyte*)why);
    return -ENOENT;
  }
  return handle_new(LIBRARY, library, library);
}

/*
 * From now on a fork leaves the parent the pages that a NIC knows. Kernels from 5.12 on do so anyway; then this does
 * nothing. To be called before memory is registered.
 */
ENTRY(jlong, protectFromForks0)(JNIEnv* env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(handle, LIBRARY);
  if (entry == NULL) return -EBADF;
  return entry->library->fork_init == NULL ? -ENOSYS : outcome(entry->library->fork_init());
}

/* Device names, each followed by a newline, into `names`; how many bytes they are, or -errno. */
ENTRY(jlong, deviceNames0)(JNIEnv* env, jclass type, jlong handle, jbyteArray names) {
  (void)type;
  const handle_entry* entry = handle_find(handle, LIBRARY);
  if (entry == NULL) return -EBADF;
  int count = 0;
  struct vb_device** devices = entry->library->get_device_list(&count);
  if (devices == NULL) return failure();
  jsize room = (*env)->GetArrayLength(env, names);
  jsize used = 0;
  for (int i = 0; i < count; i++) {
    const char* name = entry->library->get_device_name(devices[i]);
    jsize length = (jsize)strlen(name);
    if (length + 1 > room - used) break;
    (*env)->SetByteArrayRegion(env, names, used, length, (const jbyte*)name);
    (*env)->SetByteArrayRegion(env, names, used + length, 1, (const jbyte*)"\n");
    used += length + 1;
  }
  entry->library->free_device_list(devices);
  return used;
}

/* Both of a context's descriptors answer at once, whether or not there is news. */
static jlong publish_context(const verbs_library* library, struct vb_context* context) {
  if (context == NULL) return failure();
  int flags = fcntl(context->async_fd, F_GETFL);
  if (flags < 0 || fcntl(context->async_fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    jlong problem = failure();
    (void)library->close_device(context);
    return problem;
  }
  return handle_new(CONTEXT, library, context);
}

ENTRY(jlong, openDevice0)(JNIEnv* env, jclass type, jlong handle, jbyteArray name) {
  (void)type;
  char wanted[NAME_BYTES];
  const handle_entry* entry = handle_find(handle, LIBRARY);
  if (entry == NULL) return -EBADF;
  const verbs_library* library = entry->library;
  copy_name(env, name, wanted, NAME_BYTES);
  int count = 0;
  struct vb_device** devices = library->get_device_list(&count);
  if (devices == NULL) return failure();
  jlong opened = -ENODEV;
  for (int i = 0; i < count && opened == -ENODEV; i++) {
    if (strcmp(library->get_device_name(devices[i]), wanted) == 0) {
      errno = 0;
      opened = publish_context(library, library->open_device(devices[i]));
    }
  }
  library->free_device_list(devices);
  return opened;
}

static jlong give(JNIEnv* env, jlongArray into, const jlong* values, jsize count) {
  if ((*env)->GetArrayLength(env, into) < count) return -EINVAL;
  (*env)->SetLongArrayRegion(env, into, 0, count, values);
  return 0;
}

/* As DeviceAttributes.java reads it. */
ENTRY(jlong, queryDevice0)(JNIEnv* env, jclass type, jlong handle, jlongArray into) {
  (void)type;
  const handle_entry* entry = handle_find(handle, CONTEXT);
  if (entry == NULL) return -EBADF;
  struct vb_device_attr attr;
  memset(&attr, 0, sizeof attr);
  int code = entry->library->query_device(entry->object, &attr);
  if (code != 0) return outcome(code);
  jlong values[] = {attr.vendor_id, attr.vendor_part_id,      attr.max_qp, attr.max_qp_wr,  attr.max_cqe,
                    attr.max_mw,    attr.max_srq,             attr.max_srq_wr, attr.max_ah, attr.phys_port_cnt,
                    (jlong)attr.max_mr_size, attr.device_cap_flags,
                    ((struct vb_context*)entry->object)->device->transport_type};
  return give(env, into, values, sizeof values / sizeof *values);
}

/* As PortAttributes.java reads it. */
ENTRY(jlong, queryPort0)(JNIEnv* env, jclass type, jlong handle, jint port, jlongArray into) {
  (void)type;
  const handle_entry* entry = handle_find(handle, CONTEXT);
  if (entry == NULL) return -EBADF;
  struct vb_port_attr attr;
  memset(&attr, 0, sizeof attr);
  int code = entry->library->query_port(entry->object, (uint8_t)port, &attr);
  if (code != 0) return outcome(code);
  jlong values[] = {attr.state, attr.active_mtu, attr.gid_tbl_len,  attr.max_msg_sz,
                    attr.lid,   attr.link_layer, attr.active_width, attr.active_speed};
  return give(env, into, values, sizeof values / sizeof *values);
}

/* The GID's 16 bytes into `gid`; its type as the library numbers them, 255 where it does not tell, or -errno. */
ENTRY(jlong, queryGid0)(JNIEnv* env, jclass type, jlong handle, jint port, jint index, jbyteArray gid) {
  (void)type;
  const handle_entry* entry = handle_find(handle, CONTEXT);
  if (entry == NULL || (*env)->GetArrayLength(env, gid) < 16) return -EBADF;
  struct vb_gid_entry found = {.gid_type = 255};
  int code = entry->library->query_gid_ex == NULL
                 ? entry->library->query_gid(entry->object, (uint8_t)port, index, &found.gid)
                 : entry->library->query_gid_ex(entry->object, (uint32_t)port, (uint32_t)index, &found, 0,
                                                sizeof found);
  if (code != 0) return outcome(code);
  (*env)->SetByteArrayRegion(env, gid, 0, 16, (const jbyte*)found.gid.raw);
  return found.gid_type;
}

ENTRY(jstring, statusText0)(JNIEnv* env, jclass type, jlong handle, jint status) {
  (void)type;
  const handle_entry* entry = handle_any(handle);
  const char* text = entry == NULL ? NULL : entry->library->wc_status_str(status);
  return (*env)->NewStringUTF(env, text == NULL ? "closed" : text);
}

ENTRY(jstring, eventText0)(JNIEnv* env, jclass type, jlong handle, jint event) {
  (void)type;
  const handle_entry* entry = handle_any(handle);
  const char* text = entry == NULL ? NULL : entry->library->event_type_str(event);
  return (*env)->NewStringUTF(env, text == NULL ? "closed" : text);
}

ENTRY(jstring, errorText0)(JNIEnv* env, jclass type, jint error) {
  (void)type;
  char text[128];
  return (*env)->NewStringUTF(env, strerror_r(error, text, sizeof text));
}

static int events_about_qp(int event) {
  switch (event) {
    case VB_EVENT_QP_FATAL:
    case VB_EVENT_QP_REQ_ERR:
    case VB_EVENT_QP_ACCESS_ERR:
    case VB_EVENT_COMM_EST:
    case VB_EVENT_SQ_DRAINED:
    case VB_EVENT_PATH_MIG:
    case VB_EVENT_PATH_MIG_ERR:
    case VB_EVENT_QP_LAST_WQE_REACHED:
      return 1;
    default:
      return 0;
  }
}

static int events_about_port(int event) {
  switch (event) {
    case VB_EVENT_PORT_ACTIVE:
    case VB_EVENT_PORT_ERR:
    case VB_EVENT_LID_CHANGE:
    case VB_EVENT_PKEY_CHANGE:
    case VB_EVENT_SM_CHANGE:
    case VB_EVENT_CLIENT_REREGISTER:
    case VB_EVENT_GID_CHANGE:
      return 1;
    default:
      return 0;
  }
}

/* The next asynchronous event, acknowledged: type << 32 | number of its queue pair or port; -EAGAIN if there is none. */
ENTRY(jlong, asyncEvent0)(JNIEnv* env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(handle, CONTEXT);
  if (entry == NULL) return -EBADF;
  struct vb_async_event event;
  errno = 0;
  if (entry->library->get_async_event(entry->object, &event) != 0) return failure();
  uint32_t about = events_about_qp(event.event_type)     ? event.element.qp->qp_num
                   : events_about_port(event.event_type) ? (uint32_t)event.element.port_num
                                                         : 0;
  int64_t answer = (int64_t)event.event_type << 32 | about;
  entry->library->ack_async_event(&event);
  return answer;
}

static int destroy(const handle_entry* entry) {
  const verbs_library* library = entry->library;
  switch (entry->kind) {
    case CONTEXT:
      return library->close_device(entry->object);
    case DOMAIN:
      return library->dealloc_pd(entry->object);
    case REGION:
      return library->dereg_mr(entry->object);
    case WINDOW:
      return ((struct vb_mw*)entry->object)->context->ops.dealloc_mw(entry->object);
    case EVENTS:
      return library->destroy_comp_channel(entry->object);
    case COMPLETIONS:
      return library->destroy_cq(entry->object);
    case SHARED_RECEIVES:
      return library->destroy_srq(entry->object);
    case QUEUE_PAIR:
      return library->destroy_qp(entry->object);
    case PEER_ADDRESS:
      return library->destroy_ah(entry->object);
    default:
      return 0;
  }
}

/* Destroys what the handle stands for; it stays open if the library refuses, as it does while others depend on it. */
ENTRY(jlong, close0)(JNIEnv* env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_any(handle);
  if (entry == NULL || entry->kind == LIBRARY) return -EBADF;
  errno = 0;
  int code = destroy(entry);
  jlong result = code == 0 ? 0 : outcome(code);
  if (result == 0) handle_drop(handle);
  return result;
}

/* The handle's object went with its device, which the kernel took away. */
ENTRY(void, forget0)(JNIEnv* env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  handle_drop(handle);
}
