#define _GNU_SOURCE
#include "FaultyDisk.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/types.h>
#include <unistd.h>

// A few places, each taken once and never given back: tests on several threads refuse different paths at a time.
enum { REFUSALS_MAX = 64 };

static struct refusal {
    char path[256];
    _Atomic int error;
} refusals[REFUSALS_MAX];

static _Atomic int refusal_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int refusal_of(int descriptor) {
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = '\0';
    int count = atomic_load(&refusal_count);
    for (int i = 0; i < count && i < REFUSALS_MAX; i++) {
        int error = atomic_load(&refusals[i].error);
        if (error != 0 && strncmp(path, refusals[i].path, strlen(refusals[i].path)) == 0) return error;
    }
    return 0;
}

static ssize_t guarded_pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    int error = refusal_of(descriptor);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return pwrite(descriptor, bytes, count, offset);
}

static void refuse(const char *path, int error) {
    int count = atomic_load(&refusal_count);
    for (int i = 0; i < count; i++) {
        if (strcmp(refusals[i].path, path) == 0) {
            atomic_store(&refusals[i].error, error);
            return;
        }
    }
    if (error == 0 || count >= REFUSALS_MAX || strlen(path) >= sizeof refusals[0].path) return;
    strcpy(refusals[count].path, path);
    atomic_store(&refusals[count].error, error);
    atomic_store(&refusal_count, count + 1);
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");
    vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)guarded_pwrite);
    vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)guarded_pwrite);
}

void faulty_disk_refuse_writes(const char *path, int error) {
    pthread_mutex_lock(&mutex);
    refuse(path, error);
    pthread_mutex_unlock(&mutex);
}

void faulty_disk_be_nobody(void) {
    if (geteuid() == 0) setfsuid(65534);
}
