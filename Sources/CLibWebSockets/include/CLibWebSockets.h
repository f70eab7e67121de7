#ifndef ROOMS_C_LIBWEBSOCKETS_H
#define ROOMS_C_LIBWEBSOCKETS_H

#include <libwebsockets.h>
#include <uv.h>

#endif
