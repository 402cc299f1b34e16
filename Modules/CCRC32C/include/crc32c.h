#ifndef AIRLINK_CRC32C_H
#define AIRLINK_CRC32C_H

#include <stddef.h>
#include <stdint.h>

// CRC-32C (Castagnoli, RFC 3720 section 12.1): reflected polynomial 0x82F63B78, initial value and
// final exclusive-or 0xFFFFFFFF. `crc` is the result over the bytes before, 0 at the start.
// Uses the processor's instruction where it has one (found out once), else a table.
uint32_t airlink_crc32c(uint32_t crc, const void *bytes, size_t count);

// The portable form alone, for tests and for comparison.
uint32_t airlink_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

// Whether `airlink_crc32c` runs on the processor's instruction here.
int airlink_crc32c_is_accelerated(void);

#endif
