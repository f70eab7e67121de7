#ifndef ROOMS_C_SYSTEM_H
#define ROOMS_C_SYSTEM_H

// Headers of the C library that Swift's module of it leaves out.
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <zlib.h>

#endif
