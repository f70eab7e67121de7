// When each of several clients is next to do something: all at the same rate, each with a phase of its own. What is due is
// told in order of time, however late the program is: the load does not wait for the server.
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
    double start, period;
    struct schedule_turn {
        double phase;
        uint32_t who;
    } *turns;
    uint32_t count, next;
    uint64_t round;
};

// The phases are random; `who` counts from 0.
void schedule_make(struct schedule *schedule, uint32_t count, double per_second, unsigned seed);

// When the next turn is meant to be; never, if there are none.
static inline double schedule_due(const struct schedule *schedule) {
    if (!schedule->count) return 1e18;
    return schedule->start + (double)schedule->round * schedule->period + schedule->turns[schedule->next].phase;
}

// Takes the next turn.
static inline uint32_t schedule_take(struct schedule *schedule) {
    uint32_t who = schedule->turns[schedule->next].who;
    if (++schedule->next == schedule->count) {
        schedule->next = 0;
        schedule->round++;
    }
    return who;
}

#endif
