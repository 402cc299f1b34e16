#pragma once

#include <stddef.h>
#include <stdint.h>

// libFuzzer's own loop, for programs that keep their main: SwiftPM renames it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *bytes, size_t count));

// A file in memory alone, with these bytes and read from its front; -1 where there is none.
int airlink_memory_file(const void *bytes, size_t count);
