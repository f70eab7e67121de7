#ifndef ROOMS_C_ARGON2_H
#define ROOMS_C_ARGON2_H

#include <argon2.h>

// Lets the calling thread work only in time that others leave over.
void rooms_yield_to_others(void);

#endif
