// SPDX-License-Identifier: Apache-2.0
/*
 * oneCCL's libfabric provider for shared memory installs handlers of its own for SIGSEGV, SIGBUS, SIGINT and SIGTERM, in
 * the middle of joining; the JVM lives on its SIGSEGV handler (safepoints, null checks) and would be killed by the next one.
 * NVRTC (12.8 and 13.0; 13.5 no more) has its own for SIGINT and SIGTERM while it compiles, so that whoever is stopped then
 * ends without its exit handlers, ignores SIGXFSZ, and gives all three back by signal(), without the flags that the JVM's
 * handlers count on. LLVM, which hipRTC compiles with, has its own for all that may end a process, and deletes what it is
 * writing when one comes: to the JVM a SIGSEGV is nothing, and the compilation fails. So such a library's imports of sigaction
 * and signal are pointed at functions that read handlers and change none.
 */
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "signals.h"

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOBAL_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOBAL_DATA = R_AARCH64_GLOB_DAT };
#else
#error "which relocations are imports here?"
#endif

/* The system's. Called directly, it would be an import like those that are changed, if this is in the same object. */
static int (*volatile const system_sigaction)(int, const struct sigaction*, struct sigaction*) = sigaction;

static int read_only_sigaction(int signal, const struct sigaction* wanted, struct sigaction* now) {
  (void)wanted;
  return system_sigaction(signal, NULL, now);
}

static void (*read_only_signal(int signal, void (*wanted)(int)))(int) {
  struct sigaction now;
  (void)wanted;
  return system_sigaction(signal, NULL, &now) == 0 ? now.sa_handler : SIG_ERR;
}

/* What an import of that name is pointed at; NULL for all others. */
static void* replacement(const char* name) {
  if (strcmp(name, "sigaction") == 0) {
    return (void*)read_only_sigaction;
  }
  return strcmp(name, "signal") == 0 ? (void*)read_only_signal : NULL;
}

/* What is needed of a loaded object's dynamic section; the addresses in it are absolute once it is loaded. */
struct imports {
  const ElfW(Sym) * symbols;
  const char* names;
  const ElfW(Rela) * tables[2]; /* functions bound late, and everything else */
  size_t bytes[2];
};

static struct imports imports_of(const struct link_map* object) {
  struct imports imports = {.symbols = NULL};
  for (const ElfW(Dyn)* entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
    switch (entry->d_tag) {
      case DT_SYMTAB: imports.symbols = (const void*)entry->d_un.d_ptr; break;
      case DT_STRTAB: imports.names = (const void*)entry->d_un.d_ptr; break;
      case DT_JMPREL: imports.tables[0] = (const void*)entry->d_un.d_ptr; break;
      case DT_PLTRELSZ: imports.bytes[0] = entry->d_un.d_val; break;
      case DT_RELA: imports.tables[1] = (const void*)entry->d_un.d_ptr; break;
      case DT_RELASZ: imports.bytes[1] = entry->d_un.d_val; break;
      default: break;
    }
  }
  return imports;
}

/* Writes one slot of the import table. Its page stays writable: data that the library writes may share it. */
static bool redirect(void** slot, void* target) {
  size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  void* page = (void*)((uintptr_t)slot & ~(uintptr_t)(page_bytes - 1));
  if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  *slot = target;
  return true;
}

static bool keep(const struct link_map* object) {
  struct imports imports = imports_of(object);
  for (int table = 0; table < 2; table++) {
    size_t count = imports.bytes[table] / sizeof(ElfW(Rela));
    for (size_t i = 0; i < count; i++) {
      const ElfW(Rela)* import = &imports.tables[table][i];
      unsigned type = (unsigned)ELF64_R_TYPE(import->r_info);
      const char* name = imports.names + imports.symbols[ELF64_R_SYM(import->r_info)].st_name;
      void* target = type == JUMP_SLOT || type == GLOBAL_DATA ? replacement(name) : NULL;
      if (target != NULL && !redirect((void**)(object->l_addr + import->r_offset), target)) {
        return false;
      }
    }
  }
  return true;
}

static struct link_map* object_of(void* library) {
  struct link_map* object = NULL;
  return dlinfo(library, RTLD_DI_LINKMAP, &object) == 0 ? object : NULL;
}

bool signals_keep(void* library) {
  const struct link_map* object = object_of(library);
  return object != NULL && keep(object);
}

/* Far more than any library needs. */
enum { MOST_OBJECTS = 64 };

struct objects {
  const struct link_map* seen[MOST_OBJECTS];
  int count;
};

static bool is_among(const struct objects* seen, const struct link_map* object) {
  for (int i = 0; i < seen->count; i++) {
    if (seen->seen[i] == object) {
      return true;
    }
  }
  return false;
}

static bool keep_all(const struct link_map* object, struct objects* seen) {
  if (object == NULL || seen->count == MOST_OBJECTS) {
    return false;
  }
  seen->seen[seen->count++] = object;
  bool kept = keep(object);
  const char* names = imports_of(object).names;
  for (const ElfW(Dyn)* entry = object->l_ld; kept && entry->d_tag != DT_NULL; entry++) {
    void* needed = entry->d_tag == DT_NEEDED ? dlopen(names + entry->d_un.d_val, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (needed != NULL) {
      const struct link_map* next = object_of(needed);
      kept = is_among(seen, next) || keep_all(next, seen);
      (void)dlclose(needed); /* it stays, for the object that needs it does */
    }
  }
  return kept;
}

bool signals_keep_all(void* library) {
  struct objects seen = {.count = 0};
  return keep_all(object_of(library), &seen);
}
