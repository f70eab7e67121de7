#ifndef ROOMS_C_MALLOC_H
#define ROOMS_C_MALLOC_H

// A header of the C library that Swift's module of it leaves out.
#include <malloc.h>

#endif
