#ifndef ROOMS_C_EPOLL_H
#define ROOMS_C_EPOLL_H

// Headers of the C library that Swift's module of it leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#endif
