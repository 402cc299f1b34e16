#pragma once

#include <stddef.h>
#include <stdint.h>

// libFuzzer's own loop, for programs that keep their main: SwiftPM renames it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *bytes, size_t count));
