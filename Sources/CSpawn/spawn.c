#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

// A socket for each of 256 threads on 15 addresses.
#define ROOMS_SUCCESSOR_DESCRIPTORS_MAX 4096

int rooms_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

static int arrange(posix_spawn_file_actions_t *actions, const int *descriptors, const int *numbers, size_t count) {
    // Through numbers above all others, since the place of one may be where another is.
    int base = 3;
    for (size_t i = 0; i < count; i++) {
        if (descriptors[i] >= base) base = descriptors[i] + 1;
        if (numbers[i] >= base) base = numbers[i] + 1;
    }
    int status = 0;
    int last = 2;
    for (size_t i = 0; i < count && status == 0; i++)
        status = posix_spawn_file_actions_adddup2(actions, descriptors[i], base + (int)i);
    for (size_t i = 0; i < count && status == 0; i++) {
        status = posix_spawn_file_actions_adddup2(actions, base + (int)i, numbers[i]);
        if (numbers[i] > last) last = numbers[i];
    }
    return status == 0 ? posix_spawn_file_actions_addclosefrom_np(actions, last + 1) : status;
}

static pid_t spawn(
    const char *executable, char *const arguments[], char *const environment[],
    const posix_spawn_file_actions_t *actions, short flags) {
    posix_spawnattr_t attributes;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | flags);
    pid_t process = 0;
    int status = posix_spawnp(&process, executable, actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    return status == 0 ? process : -status;
}

pid_t rooms_spawn(
    const char *executable, char *const arguments[], const int *descriptors, const int *numbers, size_t count) {
    char *const environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    int status = arrange(&actions, descriptors, numbers, count);
    if (status == 0) status = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t process = status == 0 ? spawn(executable, arguments, environment, &actions, POSIX_SPAWN_SETPGROUP) : -status;
    posix_spawn_file_actions_destroy(&actions);
    return process;
}

pid_t rooms_spawn_successor(
    const char *executable, char *const arguments[], char *const environment[], const int *descriptors, size_t count) {
    int numbers[ROOMS_SUCCESSOR_DESCRIPTORS_MAX];
    if (count > ROOMS_SUCCESSOR_DESCRIPTORS_MAX) return -E2BIG;
    for (size_t i = 0; i < count; i++) numbers[i] = 3 + (int)i;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    int status = arrange(&actions, descriptors, numbers, count);
    pid_t process = status == 0 ? spawn(executable, arguments, environment, &actions, 0) : -status;
    posix_spawn_file_actions_destroy(&actions);
    return process;
}

ssize_t rooms_copy_some(int from, int to) {
    ssize_t count;
    do count = copy_file_range(from, NULL, to, NULL, 64 << 20, 0);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}
