#define _GNU_SOURCE

#include "include/rooms_argon2.h"

#include <sched.h>
#include <sys/resource.h>

void rooms_yield_to_others(void) {
    // An id of 0 is the calling thread's. A thread may always lower its own priority.
    struct sched_param none = {0};
    sched_setscheduler(0, SCHED_BATCH, &none);
    // Not the lowest one: on a machine whose processors are all taken a sign-in would take tens of seconds.
    setpriority(PRIO_PROCESS, 0, 10);
}
