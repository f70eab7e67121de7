#include "schedule.h"

#include "../shared/link.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
    double x = ((const struct schedule_turn *)a)->phase, y = ((const struct schedule_turn *)b)->phase;
    return (x > y) - (x < y);
}

void schedule_make(struct schedule *schedule, uint32_t count, double per_second, unsigned seed) {
    uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
    *schedule = (struct schedule){.period = 1 / per_second, .count = count};
    schedule->turns = calloc(count + 1, sizeof *schedule->turns);
    if (!schedule->turns) fail("out of memory");
    for (uint32_t i = 0; i < count; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        schedule->turns[i] = (struct schedule_turn){(double)(state >> 11) / 0x1p53 * schedule->period, i};
    }
    qsort(schedule->turns, count, sizeof *schedule->turns, compare);
}
