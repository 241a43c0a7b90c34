#!/usr/bin/env bash
# Makes clip.flv, what `footlight demo` and the tests push: test pattern, running clock, a tone with a beep each second.
# Needs ffmpeg; the clip itself is in the repository, so nobody else does.
set -euo pipefail
cd "$(dirname "$0")"
ffmpeg -v error -y \
  -f lavfi -i 'testsrc2=size=640x360:rate=30:duration=20' \
  -f lavfi -i 'sine=frequency=330:beep_factor=4:sample_rate=48000:duration=20' \
  -c:v libx264 -preset veryslow -tune zerolatency -pix_fmt yuv420p -b:v 350k -maxrate 450k -bufsize 450k \
  -g 60 -keyint_min 60 -sc_threshold 0 \
  -c:a aac -ac 2 -b:a 64k -shortest -flvflags no_duration_filesize -fflags +bitexact -map_metadata -1 \
  clip.flv
ls -l clip.flv
