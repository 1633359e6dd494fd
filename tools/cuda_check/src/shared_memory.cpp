#include "shared_memory.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

// Kernels declare `extern __shared__ __align__(16) unsigned char smem[];`. Alignment as of a block's shared
// window.
alignas(1024) thread_local unsigned char smem[cuda_check::kMostSharedBytes];

namespace cuda_check {
namespace {

struct Symbol {
  size_t offset, bytes;
  std::string name;
};

// The loaded module whose thread-local segment holds `smem`.
struct Module {
  std::string path;
  uintptr_t begin = 0;
  size_t bytes = 0;
};

int look_for_module(dl_phdr_info* info, size_t, void* data) {
  auto* module = static_cast<Module*>(data);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const auto& header = info->dlpi_phdr[i];
    uintptr_t begin = reinterpret_cast<uintptr_t>(info->dlpi_tls_data);
    if (header.p_type != PT_TLS || !begin || reinterpret_cast<uintptr_t>(smem) - begin >= header.p_memsz)
      continue;
    *module = {info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe", begin, header.p_memsz};
    return 1;
  }
  return 0;
}

const Module& module() {
  static const Module& m = *[] {
    auto* found = new Module;
    smem[0] = 0;  // a library's segment is made on its first use
    dl_iterate_phdr(look_for_module, found);
    if (!found->begin) unsupported("the thread-local segment was not found");
    return found;
  }();
  return m;
}

std::vector<Symbol> thread_local_symbols() {
  std::vector<Symbol> symbols;
  int file = open(module().path.c_str(), O_RDONLY);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) return symbols;
  size_t bytes = static_cast<size_t>(status.st_size);
  char* image = static_cast<char*>(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0));
  close(file);
  if (image == MAP_FAILED) return symbols;
  auto* header = reinterpret_cast<const Elf64_Ehdr*>(image);
  auto* sections = reinterpret_cast<const Elf64_Shdr*>(image + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    auto* table = reinterpret_cast<const Elf64_Sym*>(image + sections[i].sh_offset);
    const char* names = image + sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; k < sections[i].sh_size / sizeof *table; k++) {
      if (ELF64_ST_TYPE(table[k].st_info) == STT_TLS && table[k].st_size) {
        symbols.push_back({table[k].st_value, table[k].st_size, names + table[k].st_name});
      }
    }
  }
  munmap(image, bytes);
  return symbols;
}

// Of `kernel(float*)::name`, the name.
std::string short_name(const std::string& symbol) {
  std::string whole = demangled(symbol.c_str());
  size_t colons = whole.rfind("::");
  return colons == std::string::npos ? whole : whole.substr(colons + 2);
}

}  // namespace

const SharedSegment& shared_segment() {
  static const SharedSegment s{module().begin, module().bytes, new_cells(module().bytes)};
  return s;
}

unsigned char* dynamic_shared() { return smem; }

void poison_shared(size_t dynamic_bytes) {
  const SharedSegment& s = shared_segment();
  unsigned char* begin = reinterpret_cast<unsigned char*>(s.begin);
  std::memset(begin, 0xff, static_cast<size_t>(smem - begin));
  std::memset(smem, 0xff, dynamic_bytes);
  unsigned char* after = smem + kMostSharedBytes;
  std::memset(after, 0xff, static_cast<size_t>(begin + s.bytes - after));
}

std::string describe_shared(uintptr_t a) {
  if (!is_shared(a)) return text("%p", reinterpret_cast<void*>(a));
  static const std::vector<Symbol>& symbols = *new std::vector<Symbol>(thread_local_symbols());
  size_t offset = a - shared_segment().begin;
  for (const Symbol& s : symbols) {
    if (offset - s.offset < s.bytes)
      return "__shared__ " + short_name(s.name) + text(" +%zu", offset - s.offset);
  }
  return text("shared memory +%zu", offset);
}

}  // namespace cuda_check
