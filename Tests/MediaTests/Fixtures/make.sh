#!/usr/bin/env bash
# Makes the files beside it anew: small pictures and sounds that nobody has a right to. Their metadata is the tests'.
#
#   apt-get install --no-install-recommends ffmpeg libvips-tools
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A picture whose corners differ: red, green, blue, white.
vips black "$work/b.v" 300 200 --bands 3
half() { vips linear "$work/b.v" "$work/$1.v" 1 "$2"; vips extract_area "$work/$1.v" "$work/$1-part.v" 0 0 300 200; }
half red "230 20 20" && half green "20 230 20" && half blue "20 20 230" && half white "235 235 235"
vips arrayjoin "$work/red-part.v $work/green-part.v $work/blue-part.v $work/white-part.v" "$work/corners.v" --across 2
vips cast "$work/corners.v" "$work/corners-8.v" uchar
vips copy "$work/corners-8.v" "$work/corners-rgb.v" --interpretation srgb
for name in jpg png webp heic; do
    case $name in
        heic) vips heifsave "$work/corners-rgb.v" corners.heic --compression hevc --Q 50 --strip ;;
        *) vips copy "$work/corners-rgb.v" "corners.$name[strip]" ;;
    esac
done
vips jpegsave "$work/corners-rgb.v" corners-progressive.jpg --interlace --strip
vips copy "$work/corners-rgb.v" "corners-interlaced.png[strip,interlace]"
vips heifsave "$work/corners-rgb.v" corners.avif --compression av1 --Q 50 --strip

sound() { ffmpeg -loglevel error -y -f lavfi -i "sine=frequency=440:duration=$1:sample_rate=$2" "${@:3}"; }
tags=(-metadata title=Secret -metadata artist=Secret -metadata location=+52.5200+013.4050/ -metadata comment=Secret)
sound 1.5 44100 -ac 2 -c:a pcm_s16le -ar 8000 "${tags[@]}" tone.wav
sound 1.5 44100 -ac 1 -c:a adpcm_ima_wav "${tags[@]}" tone-adpcm.wav
sound 2.5 44100 -ac 2 -c:a libmp3lame -b:a 64k -id3v2_version 3 -write_id3v1 1 "${tags[@]}" tone.mp3
sound 2.5 22050 -ac 1 -c:a libmp3lame -q:a 9 "${tags[@]}" tone-vbr.mp3
sound 2 44100 -ac 1 -c:a aac -b:a 32k "${tags[@]}" tone.aac
sound 2 44100 -ac 1 -c:a aac -b:a 32k "${tags[@]}" -movflags use_metadata_tags tone.m4a
sound 2 44100 -ac 1 -c:a aac -b:a 32k "${tags[@]}" -movflags +faststart tone-faststart.m4a
sound 2 44100 -ac 1 -c:a aac -b:a 32k "${tags[@]}" -movflags +frag_keyframe+empty_moov+default_base_moof \
    -frag_duration 500000 -f mp4 tone-fragmented.m4a
sound 2 48000 -ac 1 -c:a libopus -b:a 16k "${tags[@]}" tone.opus.ogg
sound 2 44100 -ac 1 -c:a libvorbis -q:a 0 "${tags[@]}" tone.vorbis.ogg
sound 1 44100 -ac 1 -c:a flac tone.flac.ogg
ffmpeg -loglevel error -y -f lavfi -i "testsrc=duration=0.2:size=32x32:rate=10" -c:v mpeg4 movie.mp4
