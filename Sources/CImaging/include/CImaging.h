#ifndef ROOMS_C_IMAGING_H
#define ROOMS_C_IMAGING_H

#include <stdbool.h>
#include <stddef.h>

enum rooms_image_fault {
    rooms_image_ok = 0,
    // It cannot be read, or is not of the format that was told.
    rooms_image_damaged = 1,
    rooms_image_too_many_pixels = 2,
    // The result cannot be written.
    rooms_image_unwritten = 3,
    // It needs more memory than there may be.
    rooms_image_too_costly = 4,
};

enum rooms_image_format { rooms_image_jpeg, rooms_image_png, rooms_image_webp, rooms_image_heic };

struct rooms_image_job {
    int input;
    enum rooms_image_format format;
    long pixels_max;
    // Pairs of a file and the longest side of the image in it. The first is the image itself; it is always written.
    // The others are copies, ascending, of which those are written that are smaller than it.
    const int *outputs;
    const int *sides;
    size_t output_count;
};

struct rooms_image_result {
    enum rooms_image_fault fault;
    int width;
    int height;
    // A bit for each output that was written.
    unsigned written;
    char message[256];
};

// Loads the library and bars every format but the four. `needs_modules` is for HEIC, which may be a module of its own.
bool rooms_imaging_start(bool needs_modules);

// Decodes, turns upright, converts to sRGB, and writes without metadata: PNG as PNG, WebP as WebP, others as JPEG.
struct rooms_image_result rooms_image_process(const struct rooms_image_job *job);

#endif
