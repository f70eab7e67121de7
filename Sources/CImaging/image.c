#include "CImaging.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>
// After the others, whose types it uses.
#include <vips/vector.h>

static const char *const loaders[] = {
    [rooms_image_jpeg] = "VipsForeignLoadJpeg",
    [rooms_image_png] = "VipsForeignLoadPng",
    [rooms_image_webp] = "VipsForeignLoadWebp",
    [rooms_image_heic] = "VipsForeignLoadHeif",
};

bool rooms_imaging_start(bool needs_modules) {
    // Modules are looked for below this directory. HEIC is one; the others, which draw documents and what ImageMagick
    // knows, cost as much as the library itself.
    if (!needs_modules) setenv("VIPSHOME", "/nonexistent", 1);
    // Each arena of the allocator reserves addresses, which are what the bound on memory counts.
    mallopt(M_ARENA_MAX, 1);
    if (vips_init("rooms-media") != 0) return false;
    vips_concurrency_set(1);
    // It would write code and run it, which a system that denies that ends it for.
    vips_vector_set_enabled(FALSE);
    vips_cache_set_max(0);
    vips_operation_block_set("VipsForeignLoad", TRUE);
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) vips_operation_block_set(loaders[i], FALSE);
    return true;
}

static struct rooms_image_result failed(enum rooms_image_fault fault) {
    struct rooms_image_result result = {.fault = fault};
    snprintf(result.message, sizeof result.message, "%s", vips_error_buffer());
    for (char *c = result.message; *c; c++)
        if ((unsigned char)*c < 0x20) *c = ' ';
    return result;
}

// Reads no more than the header.
static enum rooms_image_fault look(VipsSource *source, const struct rooms_image_job *job, bool *has_own_colours) {
    const char *loader = vips_foreign_find_load_source(source);
    if (!loader || strncmp(loader, loaders[job->format], strlen(loaders[job->format])) != 0)
        return rooms_image_damaged;
    VipsImage *image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    if (!image) return rooms_image_damaged;
    *has_own_colours =
        vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0 || image->Type == VIPS_INTERPRETATION_CMYK;
    const bool fits = (long)image->Xsize * image->Ysize <= job->pixels_max;
    g_object_unref(image);
    return fits ? rooms_image_ok : rooms_image_too_many_pixels;
}

// Takes over `image` and answers the next one.
static VipsImage *then(VipsImage *image, int status, VipsImage *next) {
    g_object_unref(image);
    return status == 0 ? next : NULL;
}

// Removes all that is known of the image beside its pixels. Not every encoder does when told to strip. A profile has done
// its work: the colours are those of sRGB now, which is what everybody takes for granted.
static void forget(VipsImage *image) {
    gchar **names = vips_image_get_fields(image);
    for (gchar **name = names; name && *name; name++) vips_image_remove(image, *name);
    g_strfreev(names);
}

// The image in memory: upright, in sRGB or grey, eight bits a sample, no larger than `side`.
static VipsImage *load(VipsSource *source, const struct rooms_image_job *job, int side, bool has_own_colours) {
    VipsImage *image = NULL;
    VipsImage *next = NULL;
    // The thumbnailer's own option of this name does not reach the decoder in version 8.14.
    static const char whole[] = "[fail_on=truncated]";
    // Through a profile even sRGB is converted pixel by pixel, which costs more than all the rest.
    const int status =
        has_own_colours
            ? vips_thumbnail_source(
                  source, &image, side, "height", side, "size", VIPS_SIZE_DOWN, "option_string", whole,
                  "export_profile", "srgb", NULL)
            : vips_thumbnail_source(
                  source, &image, side, "height", side, "size", VIPS_SIZE_DOWN, "option_string", whole, NULL);
    if (status != 0) return NULL;
    const bool is_grey = image->Bands < 3;
    image = then(
        image, vips_colourspace(image, &next, is_grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, NULL), next);
    if (!image) return NULL;
    const bool is_jpeg = job->format == rooms_image_jpeg || job->format == rooms_image_heic;
    if (is_jpeg && vips_image_hasalpha(image)) {
        double white[] = {255, 255, 255};
        VipsArrayDouble *background = vips_array_double_new(white, is_grey ? 1 : 3);
        image = then(image, vips_flatten(image, &next, "background", background, NULL), next);
        vips_area_unref(VIPS_AREA(background));
        if (!image) return NULL;
    }
    VipsImage *in_memory = vips_image_copy_memory(image);
    g_object_unref(image);
    if (in_memory) forget(in_memory);
    return in_memory;
}

static bool save(VipsImage *image, enum rooms_image_format format, int output) {
    VipsTarget *target = vips_target_new_to_descriptor(output);
    if (!target) return false;
    int status;
    switch (format) {
    case rooms_image_png:
        status = vips_pngsave_target(image, target, "strip", TRUE, NULL);
        break;
    case rooms_image_webp:
        status = vips_webpsave_target(image, target, "strip", TRUE, "Q", 82, NULL);
        break;
    default:
        status = vips_jpegsave_target(image, target, "strip", TRUE, "Q", 85, "optimize_coding", TRUE, NULL);
    }
    g_object_unref(target);
    return status == 0;
}

// Writes those copies that are smaller than the image, the largest first, each made from the one before it: the whole
// is gone through once. Takes over `image`; answers a bit for each that was written, or -1.
static int save_copies(VipsImage *image, const struct rooms_image_job *job) {
    int written = 0;
    for (size_t i = job->output_count; i-- > 1;) {
        const int side = job->sides[i];
        if (VIPS_MAX(image->Xsize, image->Ysize) <= side) continue;
        VipsImage *small = NULL;
        int status = vips_thumbnail_image(image, &small, side, "height", side, "size", VIPS_SIZE_DOWN, NULL);
        image = then(image, status, small);
        if (image) image = then(image, 0, vips_image_copy_memory(image));
        if (!image) return -1;
        forget(image);
        if (!save(image, job->format, job->outputs[i])) {
            g_object_unref(image);
            return -1;
        }
        written |= 1 << i;
    }
    g_object_unref(image);
    return written;
}

// Why an image could not be decoded.
static enum rooms_image_fault cause(void) {
    const char *text = vips_error_buffer();
    const bool lacks_memory = strstr(text, "out of memory") || strstr(text, "nsufficient memory");
    return lacks_memory ? rooms_image_too_costly : rooms_image_damaged;
}

struct rooms_image_result rooms_image_process(const struct rooms_image_job *job) {
    VipsSource *source = vips_source_new_from_descriptor(job->input);
    if (!source) return failed(rooms_image_damaged);
    bool has_own_colours = false;
    const enum rooms_image_fault fault = look(source, job, &has_own_colours);
    VipsImage *image = fault == rooms_image_ok ? load(source, job, job->sides[0], has_own_colours) : NULL;
    g_object_unref(source);
    if (!image) return failed(fault == rooms_image_ok ? cause() : fault);

    struct rooms_image_result result = {.width = image->Xsize, .height = image->Ysize};
    if (!save(image, job->format, job->outputs[0])) {
        g_object_unref(image);
        return failed(rooms_image_unwritten);
    }
    const int copies = save_copies(image, job);
    if (copies < 0) return failed(rooms_image_unwritten);
    result.written = 1u | (unsigned)copies;
    return result;
}
