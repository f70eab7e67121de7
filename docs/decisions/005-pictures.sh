#!/usr/bin/env bash
# Makes pictures of the sizes that phones make, with noise and shapes, and a long recording, to measure with.
#
#   docs/decisions/005-pictures.sh folder
set -euo pipefail
mkdir -p "$1"
cd "$1"

picture() {
    vips perlin clouds.v "$2" "$3" --cell-size 300 --uchar
    vips worley cells.v "$2" "$3" --cell-size 150
    vips cast cells.v cells8.v uchar
    vips bandjoin "clouds.v cells8.v clouds.v" three.v
    vips gaussnoise noise.v "$2" "$3" --mean 0 --sigma 9
    vips add three.v noise.v noisy.v
    vips cast noisy.v noisy8.v uchar
    vips copy noisy8.v "$1.v" --interpretation srgb
    rm -f clouds.v cells.v cells8.v three.v noise.v noisy.v noisy8.v
}

picture twelve 4032 3024
picture fifty 8064 6048
vips jpegsave twelve.v 12-megapixels.jpg --Q 80 --strip
vips jpegsave twelve.v 12-megapixels-progressive.jpg --Q 80 --interlace --strip
vips heifsave twelve.v 12-megapixels.heic --Q 50 --strip
vips thumbnail twelve.v 2-megapixels.png 1600
vips webpsave twelve.v 12-megapixels.webp --Q 75 --strip
vips jpegsave fifty.v 48-megapixels.jpg --Q 70 --strip
rm -f twelve.v fifty.v
ffmpeg -loglevel error -y -f lavfi -i "anoisesrc=duration=900:sample_rate=44100" -ac 1 -c:a aac -b:a 128k 15-minutes.m4a
ffmpeg -loglevel error -y -f lavfi -i "anoisesrc=duration=900:sample_rate=44100" -ac 1 -b:a 128k 15-minutes.mp3
ffmpeg -loglevel error -y -f lavfi -i "anoisesrc=duration=900:sample_rate=48000" -ac 1 -c:a libopus -b:a 96k 15-minutes.ogg
