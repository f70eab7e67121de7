#include "member.h"

#include "options.h"

#include <stdio.h>

struct member *members;
int joined_count, gone_count;
uint32_t *present;

void member_joined(struct member *member, uint32_t now) {
    member->state = MEMBER_JOINED;
    member->since = member->moving_since = now;
    joined_count++;
    present[member->room]++;
}

void member_left(struct member *member, enum member_state state) {
    if (member->state == MEMBER_JOINED) {
        joined_count--;
        present[member->room]--;
    }
    member->state = state;
}

void member_query(const struct member *member, char *query, size_t room) {
    // Protocol 3 has no CONNECT of the client's to carry the token.
    if (options.eio == 3)
        snprintf(query, room, "EIO=3&token=u%u-%u%s%s", member->room, member->place,
                 options.binary ? "&touch=binary&decimals=0" : "", options.binary && member->polling ? "&b64=1" : "");
    else snprintf(query, room, "EIO=4");
}
