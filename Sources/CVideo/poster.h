#ifndef ROOMS_VIDEO_POSTER_H
#define ROOMS_VIDEO_POSTER_H

#include "CVideo.h"

#include <libavformat/avformat.h>

// Decodes the first picture of a track and writes it as JPEG, upright, no larger than the job says.
//
// - turns: quarters by which it has to be turned clockwise.
// - result: gets the size of the pictures, upright.
enum rooms_video_fault write_poster(AVFormatContext *input, AVStream *track, int turns,
                                    const struct rooms_video_job *job, struct rooms_video_result *result);

#endif
