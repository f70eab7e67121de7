#ifndef ROOMS_C_VIDEO_H
#define ROOMS_C_VIDEO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rooms_video_fault {
    rooms_video_ok = 0,
    // It cannot be read as MPEG-4 or QuickTime, or its first picture cannot be decoded.
    rooms_video_damaged = 1,
    // It has no pictures, or pictures, sound or tracks of a kind that is not accepted.
    rooms_video_unsupported = 2,
    rooms_video_too_many_pixels = 3,
    rooms_video_too_long = 4,
    // A result cannot be written.
    rooms_video_unwritten = 5,
    // It needs more memory than there may be.
    rooms_video_too_costly = 6,
};

struct rooms_video_job {
    int input;
    // The same pictures and sound without anything else, and a picture of it as JPEG.
    int output;
    int poster;
    // Of the poster.
    int side_max;
    // QuickTime (MOV) instead of MPEG-4 (MP4).
    bool is_quicktime;
    int64_t pixels_max;
    int64_t milliseconds_max;
    unsigned tracks_max;
};

struct rooms_video_result {
    enum rooms_video_fault fault;
    // As it is shown: upright.
    int width;
    int height;
    int64_t milliseconds;
};

// Loads what the formats need. To be called before the process is sealed.
void rooms_video_start(void);

struct rooms_video_result rooms_video_process(const struct rooms_video_job *job);

#endif
