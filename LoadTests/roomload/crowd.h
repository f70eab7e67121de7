// All members: who they are, and how they connect.
#ifndef CROWD_H
#define CROWD_H

#include "member.h"

void crowd_make(void);
// Connects all; returns when they are in their rooms.
void crowd_connect(void);
void crowd_connect_one(struct member *member);
// Ends its connections without a farewell.
void crowd_abort_one(struct member *member);
bool crowd_has_connected(const struct member *member);
struct link_settings crowd_link_settings(void);

#endif
