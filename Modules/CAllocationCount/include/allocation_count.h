#ifndef AIRLINK_ALLOCATION_COUNT_H
#define AIRLINK_ALLOCATION_COUNT_H

#include <stdint.h>

// How many blocks of memory this thread has asked for so far; -1 where they cannot be counted, as
// under a sanitizer, which has an allocator of its own.
//
// For benchmarks alone: whoever links this counts every allocation of the program.
int64_t airlink_allocation_count(void);

#endif
