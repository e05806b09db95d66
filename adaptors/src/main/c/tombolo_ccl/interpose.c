// SPDX-License-Identifier: Apache-2.0
/*
 * Keeps vendors' libraries from taking the process's signals. oneCCL's libfabric provider for shared memory installs
 * handlers of its own for SIGSEGV, SIGBUS, SIGINT and SIGTERM, in the middle of joining; the JVM lives on its SIGSEGV
 * handler (safepoints, null checks) and would be killed by the next one. So the provider's import of sigaction is
 * pointed at a function that reads handlers and changes none.
 */
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ccl.h"

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOBAL_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOBAL_DATA = R_AARCH64_GLOB_DAT };
#else
#error "which relocations are imports here?"
#endif

static int read_only_sigaction(int signal, const struct sigaction* wanted, struct sigaction* now) {
  (void)wanted;
  return sigaction(signal, NULL, now);
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

bool ccl_keep_signals(void* library) {
  struct link_map* object;
  if (dlinfo(library, RTLD_DI_LINKMAP, &object) != 0) {
    return false;
  }
  struct imports imports = imports_of(object);
  for (int table = 0; table < 2; table++) {
    size_t count = imports.bytes[table] / sizeof(ElfW(Rela));
    for (size_t i = 0; i < count; i++) {
      const ElfW(Rela)* import = &imports.tables[table][i];
      unsigned type = (unsigned)ELF64_R_TYPE(import->r_info);
      const char* name = imports.names + imports.symbols[ELF64_R_SYM(import->r_info)].st_name;
      if ((type == JUMP_SLOT || type == GLOBAL_DATA) && strcmp(name, "sigaction") == 0 &&
          !redirect((void**)(object->l_addr + import->r_offset), (void*)read_only_sigaction)) {
        return false;
      }
    }
  }
  return true;
}
