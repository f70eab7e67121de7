// What the server's process takes: as its `--pid` says, or else its `--metrics`; 0 without either.
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stddef.h>

bool server_is_known(void);
double server_cpu_seconds(void);
size_t server_resident_bytes(void);
int server_descriptor_count(void);

#endif
