#pragma once

#include <stdbool.h>

/// How many times the calling thread has asked for memory since it started. Always 0 where `allocations_are_counted()` is
/// false: under a sanitizer, which has its own allocator.
unsigned long allocations_of_thread(void);

bool allocations_are_counted(void);
