#define _GNU_SOURCE
#include "fuzzer.h"

#include <sys/mman.h>
#include <unistd.h>

int airlink_memory_file(const void *bytes, size_t count) {
  int descriptor = memfd_create("capture", MFD_CLOEXEC);
  if (descriptor < 0) return -1;
  if (write(descriptor, bytes, count) == (ssize_t)count && lseek(descriptor, 0, SEEK_SET) == 0)
    return descriptor;
  close(descriptor);
  return -1;
}
