// Faults that are planted into what comes, to see that they are found: what a server that breaks its promises would do.
#ifndef FAULT_H
#define FAULT_H

#include "member.h"

// Whether a fault befell this event, which then is not to be looked at.
bool fault_befell(struct member *member, const uint8_t *payload, size_t count, uint32_t now);

// Whether a binary tick is to be lost.
bool fault_befell_tick(void);

#endif
