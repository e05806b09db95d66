// SPDX-License-Identifier: Apache-2.0
/* Protection domains, memory regions and memory windows. */
#include "jni.h"

ENTRY(jlong, allocateDomain0)(JNIEnv* env, jclass type, jlong context) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(context, CONTEXT);
  if (entry == NULL) return -EBADF;
  errno = 0;
  return made(DOMAIN, entry->library, entry->library->alloc_pd(entry->object));
}

ENTRY(jlong, register0)(JNIEnv* env, jclass type, jlong domain, jlong address, jlong bytes, jint access) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(domain, DOMAIN);
  if (entry == NULL) return -EBADF;
  errno = 0;
  void* from = (void*)(uintptr_t)address;
  return made(REGION, entry->library, entry->library->reg_mr(entry->object, from, (size_t)bytes, access));
}

/* Peers name the region by `iova` instead of by its address. */
ENTRY(jlong, registerAt0)
(JNIEnv* env, jclass type, jlong domain, jlong address, jlong bytes, jlong iova, jint access) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(domain, DOMAIN);
  if (entry == NULL) return -EBADF;
  const verbs_library* library = entry->library;
  void* from = (void*)(uintptr_t)address;
  uint64_t name = (uint64_t)iova;
  errno = 0;
  if (library->reg_mr_iova2 != NULL) {
    return made(REGION, library,
                library->reg_mr_iova2(entry->object, from, (size_t)bytes, name, (unsigned)access));
  }
  if (library->reg_mr_iova == NULL) return -EOPNOTSUPP;
  return made(REGION, library, library->reg_mr_iova(entry->object, from, (size_t)bytes, name, access));
}

ENTRY(jlong, registerDmaBuf0)
(JNIEnv* env, jclass type, jlong domain, jlong offset, jlong bytes, jlong iova, jint fd, jint access) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(domain, DOMAIN);
  if (entry == NULL) return -EBADF;
  if (entry->library->reg_dmabuf_mr == NULL) return -EOPNOTSUPP;
  errno = 0;
  return made(REGION, entry->library,
              entry->library->reg_dmabuf_mr(entry->object, (uint64_t)offset, (size_t)bytes, (uint64_t)iova, fd,
                                            access));
}

/* Local key << 32 | remote key. */
ENTRY(jlong, keys0)(JNIEnv* env, jclass type, jlong region) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(region, REGION);
  if (entry == NULL) return 0;
  const struct vb_mr* mr = entry->object;
  return (jlong)((uint64_t)mr->lkey << 32 | mr->rkey);
}

ENTRY(jlong, allocateWindow0)(JNIEnv* env, jclass type, jlong domain) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(domain, DOMAIN);
  if (entry == NULL) return -EBADF;
  struct vb_pd_head* pd = entry->object;
  if (pd->context->ops.alloc_mw == NULL) return -EOPNOTSUPP;
  errno = 0;
  struct vb_mw* window = pd->context->ops.alloc_mw(entry->object, VB_MW_TYPE_1);
  if (window == NULL) return failure();
  /* as the header's inline function does */
  window->context = pd->context;
  window->pd = entry->object;
  window->type = VB_MW_TYPE_1;
  return handle_new(WINDOW, entry->library, window);
}

/* Posts the bind with completion `id`; the window's new key, valid once that completion is there, or -errno. */
ENTRY(jlong, bindWindow0)
(JNIEnv* env, jclass type, jlong pair, jlong window, jlong region, jlong address, jlong bytes, jint access,
 jlong id) {
  (void)env;
  (void)type;
  const handle_entry* by = handle_find(pair, QUEUE_PAIR);
  const handle_entry* bound = handle_find(window, WINDOW);
  const handle_entry* of = handle_find(region, REGION);
  if (by == NULL || bound == NULL || of == NULL) return -EBADF;
  struct vb_qp* qp = by->object;
  struct vb_mw* mw = bound->object;
  struct vb_mw_bind bind = {
      (uint64_t)id, VB_SEND_SIGNALED, {of->object, (uint64_t)address, (uint64_t)bytes, (unsigned)access}};
  if (mw->context->ops.bind_mw == NULL) return -EOPNOTSUPP;
  errno = 0;
  int code = mw->context->ops.bind_mw(qp, mw, &bind);
  return code != 0 ? outcome(code) : (jlong)mw->rkey;
}
