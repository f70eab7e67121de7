#include "streams.h"

#include <errno.h>
#include <unistd.h>

enum { buffer_bytes = 64 << 10 };

static int read_some(void *owner, uint8_t *bytes, int count) {
    struct open_file *file = owner;
    ssize_t got;
    do got = pread(file->descriptor, bytes, (size_t)count, file->position);
    while (got < 0 && errno == EINTR);
    if (got < 0) return AVERROR(errno);
    if (got == 0) return AVERROR_EOF;
    file->position += got;
    return (int)got;
}

static int write_some(void *owner, uint8_t *bytes, int count) {
    struct open_file *file = owner;
    int done = 0;
    while (done < count) {
        const ssize_t put = pwrite(file->descriptor, bytes + done, (size_t)(count - done), file->position);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            file->has_failed = true;
            file->is_too_large = put < 0 && errno == EFBIG;
            return AVERROR(EIO);
        }
        file->position += put;
        done += (int)put;
    }
    return done;
}

static int64_t seek_to(void *owner, int64_t offset, int whence) {
    struct open_file *file = owner;
    // fstat(3) asks the kernel in a way that the seal refuses.
    const off_t size = lseek(file->descriptor, 0, SEEK_END);
    if (size < 0) return AVERROR(errno);
    if (whence & AVSEEK_SIZE) return size;
    switch (whence & ~AVSEEK_FORCE) {
    case SEEK_SET: break;
    case SEEK_CUR: offset += file->position; break;
    case SEEK_END: offset += size; break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0) return AVERROR(EINVAL);
    return file->position = offset;
}

AVIOContext *open_stream(struct open_file *file, bool writes) {
    uint8_t *buffer = av_malloc(buffer_bytes);
    if (!buffer) return NULL;
    AVIOContext *stream = avio_alloc_context(
        buffer, buffer_bytes, writes, file, writes ? NULL : read_some, writes ? write_some : NULL, seek_to);
    if (!stream) av_free(buffer);
    return stream;
}

void close_stream(AVIOContext *stream) {
    if (!stream) return;
    av_freep(&stream->buffer);
    avio_context_free(&stream);
}
