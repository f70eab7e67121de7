#include "CVideo.h"

#include <libavcodec/avcodec.h>
#include <libavutil/display.h>
#include <math.h>
#include <string.h>

#include "poster.h"
#include "streams.h"

static const enum AVCodecID pictures[] = {
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H263, AV_CODEC_ID_MJPEG, AV_CODEC_ID_PRORES,
    AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
};

static const enum AVCodecID sounds[] = {
    AV_CODEC_ID_AAC, AV_CODEC_ID_ALAC, AV_CODEC_ID_MP3, AV_CODEC_ID_OPUS, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3,
    AV_CODEC_ID_AMR_NB, AV_CODEC_ID_AMR_WB, AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S16BE, AV_CODEC_ID_PCM_S24LE,
    AV_CODEC_ID_PCM_S24BE, AV_CODEC_ID_PCM_MULAW, AV_CODEC_ID_PCM_ALAW,
};

void rooms_video_start(void) { av_log_set_level(AV_LOG_QUIET); }

static bool is_among(enum AVCodecID id, const enum AVCodecID *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == id) return true;
    return false;
}
#define IS_AMONG(id, list) is_among(id, list, sizeof(list) / sizeof *(list))

// What a file names beside itself is not opened.
static int open_nothing(AVFormatContext *context, AVIOContext **stream, const char *url, int flags,
                        AVDictionary **options) {
    return AVERROR(EPERM);
}

// MARK: What comes in

static AVFormatContext *open_input(struct open_file *file, const struct rooms_video_job *job) {
    AVFormatContext *input = avformat_alloc_context();
    AVIOContext *stream = input ? open_stream(file, false) : NULL;
    if (!stream) {
        avformat_free_context(input);
        return NULL;
    }
    input->pb = stream;
    input->io_open = open_nothing;
    input->max_streams = (int)job->tracks_max;
    input->probesize = 8 << 20;
    // This frees the context when it fails.
    if (avformat_open_input(&input, "", av_find_input_format("mov"), NULL) == 0) return input;
    close_stream(stream);
    return NULL;
}

static void close_input(AVFormatContext *input) {
    AVIOContext *stream = input->pb;
    avformat_close_input(&input);
    close_stream(stream);
}

static bool is_kept(const AVStream *track) {
    const enum AVMediaType type = track->codecpar->codec_type;
    // A cover is no picture of the video, and subtitles, times and places are not kept.
    return (type == AVMEDIA_TYPE_VIDEO && !(track->disposition & AV_DISPOSITION_ATTACHED_PIC)) ||
           type == AVMEDIA_TYPE_AUDIO;
}

static enum rooms_video_fault check(const AVFormatContext *input, const struct rooms_video_job *job,
                                    AVStream **video) {
    *video = NULL;
    for (unsigned i = 0; i < input->nb_streams; i++) {
        AVStream *track = input->streams[i];
        const AVCodecParameters *codec = track->codecpar;
        if (!is_kept(track)) {
            track->discard = AVDISCARD_ALL;
        } else if (codec->codec_type == AVMEDIA_TYPE_AUDIO) {
            if (!IS_AMONG(codec->codec_id, sounds)) return rooms_video_unsupported;
        } else {
            if (*video || !IS_AMONG(codec->codec_id, pictures)) return rooms_video_unsupported;
            // Some formats tell their size only in their pictures; the decoder has the same bound.
            if ((int64_t)codec->width * codec->height > job->pixels_max) return rooms_video_too_many_pixels;
            *video = track;
        }
    }
    return *video ? rooms_video_ok : rooms_video_unsupported;
}

// Whether all samples lie in the file that the index names so far; libavformat takes the end of a file for the end of a track.
// Samples that share their bytes would make a file that is much larger than this one.
static bool has_all_samples(const AVFormatContext *input) {
    const int64_t size = avio_size(input->pb);
    int64_t total = 0;
    for (unsigned i = 0; i < input->nb_streams; i++) {
        AVStream *track = input->streams[i];
        if (!is_kept(track)) continue;
        const int count = avformat_index_get_entries_count(track);
        for (int j = 0; j < count; j++) {
            const AVIndexEntry *sample = avformat_index_get_entry(track, j);
            if (sample->pos < 0 || sample->pos > size || sample->size > size - sample->pos) return false;
            total += sample->size;
            if (total > size) return false;
        }
    }
    return true;
}

// Quarters clockwise.
static int turns_of(AVStream *track) {
    size_t size = 0;
    const uint8_t *matrix = av_stream_get_side_data(track, AV_PKT_DATA_DISPLAYMATRIX, &size);
    if (!matrix || size < 9 * sizeof(int32_t)) return 0;
    const double angle = av_display_rotation_get((const int32_t *)matrix);
    if (isnan(angle)) return 0;
    return (4 - (int)lrint(angle / 90)) % 4 & 3;
}

// The longest track's, by what has been read of it; the header may lie.
static int64_t told_milliseconds(const AVFormatContext *input) {
    return input->duration == AV_NOPTS_VALUE ? 0 : av_rescale(input->duration, 1000, AV_TIME_BASE);
}

// MARK: What goes out

// For the muxer that moves the index to the beginning: it reads what it has written.
static int open_written(AVFormatContext *output, AVIOContext **stream, const char *url, int flags,
                        AVDictionary **options) {
    struct open_file *own = output->opaque;
    if (flags & AVIO_FLAG_WRITE) return AVERROR(EPERM);
    struct open_file *file = av_mallocz(sizeof *file);
    if (!file) return AVERROR(ENOMEM);
    file->descriptor = own->descriptor;
    *stream = open_stream(file, false);
    if (*stream) return 0;
    av_free(file);
    return AVERROR(ENOMEM);
}

static int close_written(AVFormatContext *output, AVIOContext *stream) {
    struct open_file *file = stream->opaque;
    close_stream(stream);
    av_free(file);
    return 0;
}

static bool add_track(AVFormatContext *output, AVStream *track) {
    AVStream *copy = avformat_new_stream(output, NULL);
    if (!copy || avcodec_parameters_copy(copy->codecpar, track->codecpar) < 0) return false;
    unsigned tag = track->codecpar->codec_tag;
    if (output->oformat->codec_tag && av_codec_get_id(output->oformat->codec_tag, tag) != track->codecpar->codec_id)
        tag = 0;
    copy->codecpar->codec_tag = tag;
    copy->time_base = track->time_base;
    copy->sample_aspect_ratio = track->sample_aspect_ratio;
    copy->avg_frame_rate = track->avg_frame_rate;
    const enum AVPacketSideDataType kept[] = {
        AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        size_t size = 0;
        const uint8_t *bytes = av_stream_get_side_data(track, kept[i], &size);
        if (!bytes) continue;
        uint8_t *room = av_stream_new_side_data(copy, kept[i], size);
        if (!room) return false;
        memcpy(room, bytes, size);
    }
    return true;
}

static AVFormatContext *open_output(struct open_file *file, const AVFormatContext *input,
                                    const struct rooms_video_job *job, int *numbers) {
    AVFormatContext *output = NULL;
    if (avformat_alloc_output_context2(&output, NULL, job->is_quicktime ? "mov" : "mp4", NULL) < 0) return NULL;
    output->opaque = file;
    output->io_open = open_written;
    output->io_close2 = close_written;
    // Nothing of the program that writes.
    output->flags |= AVFMT_FLAG_BITEXACT;
    for (unsigned i = 0; i < input->nb_streams; i++) {
        numbers[i] = -1;
        if (!is_kept(input->streams[i])) continue;
        numbers[i] = (int)output->nb_streams;
        if (!add_track(output, input->streams[i])) {
            avformat_free_context(output);
            return NULL;
        }
    }
    output->pb = open_stream(file, true);
    AVDictionary *options = NULL;
    av_dict_set(&options, "movflags", "faststart", 0);
    const bool is_open = output->pb && avformat_write_header(output, &options) >= 0;
    av_dict_free(&options);
    if (is_open) return output;
    close_stream(output->pb);
    avformat_free_context(output);
    return NULL;
}

static enum rooms_video_fault copy(AVFormatContext *input, AVFormatContext *output, const int *numbers,
                                   int64_t milliseconds_max, int64_t *milliseconds) {
    AVPacket *packet = av_packet_alloc();
    if (!packet) return rooms_video_too_costly;
    enum rooms_video_fault fault = rooms_video_ok;
    int status;
    while (fault == rooms_video_ok && (status = av_read_frame(input, packet)) >= 0) {
        AVStream *from = input->streams[packet->stream_index];
        const int number = numbers[packet->stream_index];
        if (packet->flags & AV_PKT_FLAG_CORRUPT) fault = rooms_video_damaged;
        if (number < 0) {
            av_packet_unref(packet);
            continue;
        }
        if (packet->pts != AV_NOPTS_VALUE) {
            const int64_t start = from->start_time == AV_NOPTS_VALUE ? 0 : from->start_time;
            const int64_t end =
                av_rescale_q(packet->pts - start + FFMAX(packet->duration, 0), from->time_base, (AVRational){1, 1000});
            *milliseconds = FFMAX(*milliseconds, end);
            if (end > milliseconds_max) fault = rooms_video_too_long;
        }
        av_packet_rescale_ts(packet, from->time_base, output->streams[number]->time_base);
        packet->stream_index = number;
        packet->pos = -1;
        // This takes over the packet.
        if (fault == rooms_video_ok && av_interleaved_write_frame(output, packet) < 0) fault = rooms_video_damaged;
        av_packet_unref(packet);
    }
    av_packet_free(&packet);
    // The index of a fragmented file grows while it is read.
    if (fault == rooms_video_ok && status == AVERROR_EOF && !has_all_samples(input)) fault = rooms_video_damaged;
    if (fault == rooms_video_ok && status != AVERROR_EOF)
        fault = status == AVERROR(ENOMEM) ? rooms_video_too_costly : rooms_video_damaged;
    return fault;
}

static enum rooms_video_fault remux(AVFormatContext *input, const struct rooms_video_job *job, int64_t *milliseconds) {
    struct open_file file = {.descriptor = job->output};
    int *numbers = av_calloc(input->nb_streams, sizeof *numbers);
    AVFormatContext *output = numbers ? open_output(&file, input, job, numbers) : NULL;
    enum rooms_video_fault fault = rooms_video_damaged;
    if (output) {
        fault = copy(input, output, numbers, job->milliseconds_max, milliseconds);
        if (fault == rooms_video_ok && av_write_trailer(output) < 0) fault = rooms_video_damaged;
        avio_flush(output->pb);
        close_stream(output->pb);
        avformat_free_context(output);
    }
    av_free(numbers);
    return file.is_too_large ? rooms_video_too_costly : file.has_failed ? rooms_video_unwritten : fault;
}

// MARK: Both

static struct rooms_video_result process(AVFormatContext *input, const struct rooms_video_job *job) {
    struct rooms_video_result result = {.fault = rooms_video_ok};
    AVStream *video = NULL;
    result.fault = check(input, job, &video);
    if (result.fault != rooms_video_ok) return result;
    if (told_milliseconds(input) > job->milliseconds_max) {
        result.fault = rooms_video_too_long;
        return result;
    }
    if (!has_all_samples(input)) {
        result.fault = rooms_video_damaged;
        return result;
    }
    result.fault = write_poster(input, video, turns_of(video), job, &result);
    if (result.fault != rooms_video_ok) return result;
    if (av_seek_frame(input, -1, 0, AVSEEK_FLAG_BACKWARD) < 0 && avformat_seek_file(input, -1, INT64_MIN, 0, 0, 0) < 0) {
        result.fault = rooms_video_damaged;
        return result;
    }
    result.fault = remux(input, job, &result.milliseconds);
    return result;
}

struct rooms_video_result rooms_video_process(const struct rooms_video_job *job) {
    struct open_file file = {.descriptor = job->input};
    AVFormatContext *input = open_input(&file, job);
    if (!input) return (struct rooms_video_result){.fault = rooms_video_damaged};
    const struct rooms_video_result result = process(input, job);
    close_input(input);
    return result;
}
