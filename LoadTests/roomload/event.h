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
    uint64_t touches, slow_touches, element_events;
    // Packets of any kind, how often a member went on where it was, and how often one changed from polling to a WebSocket.
    uint64_t frames, resumes, upgrades;
    // Bytes of any kind, as they came in.
    uint64_t bytes;
    struct histogram touch_times, element_times;
    bool is_measuring, is_under_load;
    // In the end everybody looks at every touch, since there the last position is to be found.
    bool is_settling;
    // Members leave and come back: the state that they are told is looked at, and the offsets of what they get.
    bool is_lively;
};

extern struct arrivals arrivals;

// `payload` begins with `42`.
enum event_kind event_came(struct member *member, const uint8_t *payload, size_t count, uint32_t now);
// Whether a text, which begins with `45`, is that of a binary tick, and what comes then.
bool event_is_tick(struct member *member, const uint8_t *payload, size_t count);
void event_tick_came(struct member *member, const uint8_t *bytes, size_t count, uint32_t now);

// Whether more than a frame's beginning is looked at, as its first bytes tell.
static inline bool event_matters_whole(const uint8_t *payload) {
    if (!memcmp(payload, "42[\"touch:", 10) || !memcmp(payload, "42[\"element:", 12) ||
        !memcmp(payload, "42[\"error\"", 10) || !memcmp(payload, "451-[", 5))
        return true;
    return arrivals.is_lively &&
           (!memcmp(payload, "42[\"room:", 9) || !memcmp(payload, "42[\"user:", 9) || !memcmp(payload, "40{", 3));
}

#endif
