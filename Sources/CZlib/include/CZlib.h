#ifndef ROOMS_C_ZLIB_H
#define ROOMS_C_ZLIB_H

#include <zlib.h>

#endif
