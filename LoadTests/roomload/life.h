// Members who do not stay: they leave the room, or lose their connection, and come back a while later. Clients of protocol
// 3 have their heartbeats here too.
#ifndef LIFE_H
#define LIFE_H

#include <stdint.h>

struct life {
    uint64_t leaves, drops;
};

extern struct life life;

void life_begin(double start);
// Does what is due, and answers when something is again.
double life_turn(double now);
// Nobody leaves any more; whoever is away comes back, if it does within a time.
void life_end(void);

#endif
