// Stands between a server and its disk: put before libc (LD_PRELOAD), it refuses what the test orders, and writes down
// what is written and when it is flushed, so that the test can tell what a cut of the power would have left.
//
// ROOMS_DISK_PATH     files whose path begins so are watched
// ROOMS_DISK_ORDERS   a file with one word: full, readonly, broken (flushing fails), lying (it only seems to work), or nothing
// ROOMS_DISK_LOG      the log: a line of text for each operation, followed by the bytes of a write

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int log_descriptor = -1;

static bool is_watched(const char *path) {
    const char *watched = getenv("ROOMS_DISK_PATH");
    return watched && strncmp(path, watched, strlen(watched)) == 0;
}

static bool find(int descriptor, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return false;
    path[length] = '\0';
    // The index of the log in memory is made anew by whoever opens it.
    return is_watched(path) && strstr(path, "-shm") == NULL;
}

static char order(void) {
    const char *orders = getenv("ROOMS_DISK_ORDERS");
    int descriptor = orders ? open(orders, O_RDONLY | O_CLOEXEC) : -1;
    char word = 0;
    if (descriptor >= 0) {
        if (read(descriptor, &word, 1) != 1) word = 0;
        close(descriptor);
    }
    return word;
}

static void log_operation(const char *what, const char *path, long long offset, const void *bytes, size_t count) {
    const char *name = getenv("ROOMS_DISK_LOG");
    if (!name) return;
    pthread_mutex_lock(&mutex);
    if (log_descriptor < 0) log_descriptor = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    char line[1024];
    int length = snprintf(line, sizeof line, "%s %lld %zu %s\n", what, offset, count, path);
    struct iovec parts[] = {{line, (size_t)length}, {(void *)bytes, bytes ? count : 0}};
    if (log_descriptor < 0 || writev(log_descriptor, parts, 2) < length) abort();
    pthread_mutex_unlock(&mutex);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    char path[512];
    if (!find(descriptor, path, sizeof path)) return REAL(pwrite64)(descriptor, bytes, count, offset);
    char word = order();
    if (word == 'f' || word == 'r') {
        errno = word == 'f' ? ENOSPC : EROFS;
        return -1;
    }
    ssize_t written = REAL(pwrite64)(descriptor, bytes, count, offset);
    if (written > 0) log_operation("write", path, offset, bytes, (size_t)written);
    return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite64(descriptor, bytes, count, offset);
}

static int flushed(int descriptor, int (*flush)(int)) {
    char path[512];
    if (!find(descriptor, path, sizeof path)) return flush(descriptor);
    char word = order();
    if (word == 'b') {
        errno = EIO;
        return -1;
    }
    if (word == 'l') return 0;
    int status = flush(descriptor);
    if (status == 0) log_operation("flush", path, 0, NULL, 0);
    return status;
}

int fdatasync(int descriptor) { return flushed(descriptor, REAL(fdatasync)); }
int fsync(int descriptor) { return flushed(descriptor, REAL(fsync)); }

int ftruncate64(int descriptor, off64_t size) {
    char path[512];
    int status = REAL(ftruncate64)(descriptor, size);
    if (status == 0 && find(descriptor, path, sizeof path)) log_operation("truncate", path, size, NULL, 0);
    return status;
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

int unlink(const char *path) {
    int status = REAL(unlink)(path);
    if (status == 0 && is_watched(path)) log_operation("unlink", path, 0, NULL, 0);
    return status;
}
