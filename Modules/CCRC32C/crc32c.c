#include "crc32c.h"

#include <stdatomic.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif

#define POLYNOMIAL 0x82F63B78u

// Slicing by eight (Kounavis and Berry, "Novel table lookup-based algorithms for high-performance
// CRC generation", 2008). Filled before main, so that no thread meets it half made.
static uint32_t table[8][256];

__attribute__((constructor)) static void make_table(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? POLYNOMIAL : 0);
    table[0][byte] = crc;
  }
  for (uint32_t byte = 0; byte < 256; byte++)
    for (int slice = 1; slice < 8; slice++)
      table[slice][byte] =
          (table[slice - 1][byte] >> 8) ^ table[0][table[slice - 1][byte] & 0xFF];
}

uint32_t airlink_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
  const uint8_t *p = bytes;
  crc = ~crc;
  for (; count >= 8; count -= 8, p += 8) {
    uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                          (uint32_t)p[3] << 24);
    crc = table[7][low & 0xFF] ^ table[6][low >> 8 & 0xFF] ^ table[5][low >> 16 & 0xFF] ^
          table[4][low >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
  }
  while (count--) crc = (crc >> 8) ^ table[0][(crc ^ *p++) & 0xFF];
  return ~crc;
}

#if defined(__x86_64__)
#define HAS_INSTRUCTION 1
#define INSTRUCTION __attribute__((target("sse4.2")))
#define STEP8(crc, word) __builtin_ia32_crc32di((crc), (word))
#define STEP1(crc, byte) __builtin_ia32_crc32qi((uint32_t)(crc), (byte))
static int probe(void) { return __builtin_cpu_supports("sse4.2") != 0; }
#elif defined(__aarch64__)
#define HAS_INSTRUCTION 1
#define INSTRUCTION __attribute__((target("crc")))
#define STEP8(crc, word) __crc32cd((uint32_t)(crc), (word))
#define STEP1(crc, byte) __crc32cb((uint32_t)(crc), (byte))
static int probe(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#endif

#ifdef HAS_INSTRUCTION
INSTRUCTION static uint32_t by_instruction(uint32_t crc, const void *bytes, size_t count) {
  const uint8_t *p = bytes;
  uint64_t state = ~crc;
  for (; count >= 8; count -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    state = STEP8(state, word);
  }
  while (count--) state = STEP1(state, *p++);
  return ~(uint32_t)state;
}

static _Atomic int known;  // 0: not asked yet, 1: instruction, 2: table

int airlink_crc32c_is_accelerated(void) {
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (!answer) {
    answer = probe() ? 1 : 2;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 1;
}

uint32_t airlink_crc32c(uint32_t crc, const void *bytes, size_t count) {
  return airlink_crc32c_is_accelerated() ? by_instruction(crc, bytes, count)
                                         : airlink_crc32c_portable(crc, bytes, count);
}
#else
int airlink_crc32c_is_accelerated(void) { return 0; }

uint32_t airlink_crc32c(uint32_t crc, const void *bytes, size_t count) {
  return airlink_crc32c_portable(crc, bytes, count);
}
#endif
