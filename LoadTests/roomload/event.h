// What comes to a member: touches and element events, counted, timed and checked.
#ifndef EVENT_H
#define EVENT_H

#include "histogram.h"
#include "member.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum event_kind { EVENT_OTHER, EVENT_JOINED };

struct arrivals {
    // Touches that came to members who read at full speed, and to those who do not.
    uint64_t touches, slow_touches, element_events, bytes;
    struct histogram touch_times, element_times;
    bool is_measuring, is_under_load;
    // In the end everybody looks at every touch, since there the last position is to be found.
    bool is_settling;
};

extern struct arrivals arrivals;

// `payload` begins with `42`.
enum event_kind event_came(struct member *member, const uint8_t *payload, size_t count, uint32_t now);

// Whether more than a frame's beginning is looked at, as its first bytes tell.
static inline bool event_matters_whole(const uint8_t *payload) {
    return !memcmp(payload, "42[\"touch:", 10) || !memcmp(payload, "42[\"element:", 12) ||
           !memcmp(payload, "42[\"error\"", 10);
}

#endif
