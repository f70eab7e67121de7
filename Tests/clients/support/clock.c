// Puts the clock of a process forward or back: put before libc (LD_PRELOAD), it adds to the time of day the seconds that
// the file ROOMS_CLOCK_OFFSET has (eight bytes, the least first). The clocks that only run forward are left alone.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;
static int (*clock_of_libc)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    static const int64_t none;
    offset = &none;
    clock_of_libc = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *name = getenv("ROOMS_CLOCK_OFFSET");
    int descriptor = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void *page = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, descriptor, 0);
    if (page == MAP_FAILED) abort();
    offset = page;
    close(descriptor);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!clock_of_libc) begin();
    int status = clock_of_libc(clock, time);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *offset;
    return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
