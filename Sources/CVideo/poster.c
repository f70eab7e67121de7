#include "poster.h"

#include <libavcodec/avcodec.h>
#include <libswscale/swscale.h>
#include <stdbool.h>
#include <unistd.h>

// Packets before the first picture. Decoders of usual files need a few.
enum { packets_max = 256 };

static AVFrame *decode_first(AVFormatContext *input, AVStream *track, AVCodecContext *decoder) {
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    bool is_decoded = false, is_at_end = false;
    for (int count = 0; packet && frame && !is_decoded && !is_at_end && count < packets_max;) {
        if (av_read_frame(input, packet) < 0) {
            is_at_end = true;
            avcodec_send_packet(decoder, NULL);
        } else if (packet->stream_index == track->index) {
            count++;
            avcodec_send_packet(decoder, packet);
        }
        is_decoded = avcodec_receive_frame(decoder, frame) == 0;
        av_packet_unref(packet);
    }
    av_packet_free(&packet);
    if (!is_decoded) av_frame_free(&frame);
    return frame;
}

static AVFrame *new_frame(int width, int height) {
    AVFrame *frame = av_frame_alloc();
    if (!frame) return NULL;
    frame->format = AV_PIX_FMT_YUVJ444P;
    frame->width = width;
    frame->height = height;
    if (av_frame_get_buffer(frame, 0) < 0) av_frame_free(&frame);
    return frame;
}

static AVFrame *scaled(const AVFrame *frame, int side_max) {
    const int longest = FFMAX(frame->width, frame->height);
    const int side = FFMIN(longest, side_max);
    const int width = FFMAX((int)av_rescale(frame->width, side, longest), 1);
    const int height = FFMAX((int)av_rescale(frame->height, side, longest), 1);
    AVFrame *small = new_frame(width, height);
    struct SwsContext *scaler = small ? sws_getContext(
        frame->width, frame->height, frame->format, width, height, small->format, SWS_AREA, NULL, NULL, NULL) : NULL;
    const bool is_done = scaler && sws_scale(scaler, (const uint8_t *const *)frame->data, frame->linesize, 0,
                                             frame->height, small->data, small->linesize) == height;
    sws_freeContext(scaler);
    if (!is_done) av_frame_free(&small);
    return small;
}

// By quarters clockwise. Takes over `frame`.
static AVFrame *turned(AVFrame *frame, int turns) {
    if (!frame || turns == 0) return frame;
    const int width = frame->width, height = frame->height;
    AVFrame *result = turns == 2 ? new_frame(width, height) : new_frame(height, width);
    for (int plane = 0; result && plane < 3; plane++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                const int column = turns == 1 ? height - 1 - y : turns == 2 ? width - 1 - x : y;
                const int row = turns == 1 ? x : turns == 2 ? height - 1 - y : width - 1 - x;
                result->data[plane][row * result->linesize[plane] + column] =
                    frame->data[plane][y * frame->linesize[plane] + x];
            }
    av_frame_free(&frame);
    return result;
}

static bool write_all(int descriptor, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        const ssize_t put = write(descriptor, bytes, count);
        if (put <= 0) return false;
        bytes += put;
        count -= (size_t)put;
    }
    return true;
}

static enum rooms_video_fault write_jpeg(AVFrame *frame, int descriptor) {
    AVCodecContext *encoder = avcodec_alloc_context3(avcodec_find_encoder(AV_CODEC_ID_MJPEG));
    AVPacket *packet = av_packet_alloc();
    enum rooms_video_fault fault = rooms_video_too_costly;
    if (encoder && packet) {
        encoder->width = frame->width;
        encoder->height = frame->height;
        encoder->pix_fmt = AV_PIX_FMT_YUVJ444P;
        encoder->time_base = (AVRational){1, 25};
        encoder->thread_count = 1;
        encoder->flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT;
        encoder->global_quality = 4 * FF_QP2LAMBDA;
        frame->quality = encoder->global_quality;
        frame->pts = 0;
        const bool is_encoded = avcodec_open2(encoder, encoder->codec, NULL) == 0 &&
                                avcodec_send_frame(encoder, frame) == 0 && avcodec_send_frame(encoder, NULL) == 0 &&
                                avcodec_receive_packet(encoder, packet) == 0;
        fault = !is_encoded ? rooms_video_damaged
                : write_all(descriptor, packet->data, (size_t)packet->size) ? rooms_video_ok
                                                                           : rooms_video_unwritten;
    }
    av_packet_free(&packet);
    avcodec_free_context(&encoder);
    return fault;
}

enum rooms_video_fault write_poster(AVFormatContext *input, AVStream *track, int turns,
                                    const struct rooms_video_job *job, struct rooms_video_result *result) {
    const AVCodec *codec = avcodec_find_decoder(track->codecpar->codec_id);
    if (!codec) return rooms_video_unsupported;
    AVCodecContext *decoder = avcodec_alloc_context3(codec);
    AVFrame *frame = NULL;
    if (decoder && avcodec_parameters_to_context(decoder, track->codecpar) == 0) {
        decoder->thread_count = 1;
        decoder->max_pixels = job->pixels_max;
        decoder->skip_frame = AVDISCARD_NONKEY;
        decoder->pkt_timebase = track->time_base;
        if (avcodec_open2(decoder, codec, NULL) == 0) frame = decode_first(input, track, decoder);
    }
    avcodec_free_context(&decoder);
    if (!frame) return rooms_video_damaged;
    if (track->codecpar->width <= 0 || track->codecpar->height <= 0) {
        track->codecpar->width = frame->width;
        track->codecpar->height = frame->height;
    }
    result->width = turns % 2 == 1 ? frame->height : frame->width;
    result->height = turns % 2 == 1 ? frame->width : frame->height;
    AVFrame *small = turned(scaled(frame, job->side_max), turns);
    av_frame_free(&frame);
    if (!small) return rooms_video_too_costly;
    const enum rooms_video_fault fault = write_jpeg(small, job->poster);
    av_frame_free(&small);
    return fault;
}
