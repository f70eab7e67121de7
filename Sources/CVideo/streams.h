#ifndef ROOMS_VIDEO_STREAMS_H
#define ROOMS_VIDEO_STREAMS_H

#include <libavformat/avformat.h>
#include <stdbool.h>

// A file that is open, for libavformat, which opens none itself.
struct open_file {
    int descriptor;
    int64_t position;
    // Whether a byte could not be written.
    bool has_failed;
    // Whether that was because the file would have more bytes than it may have.
    bool is_too_large;
};

// NULL without memory. To be freed by `close_stream`.
AVIOContext *open_stream(struct open_file *file, bool writes);
void close_stream(AVIOContext *stream);

#endif
