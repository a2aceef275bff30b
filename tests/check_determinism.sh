#!/bin/sh
# The demo's pictures are the same bytes for any number of threads, interpreted or compiled, compressed or not.
# usage: check_determinism.sh DEMO OUTPUT_DIR
demo=$1 out=$2
mkdir -p "$out"
first=
for variant in A=1 ETZEL_THREADS=1 ETZEL_DEBUG=no-jit ETZEL_DEBUG=jit-now ETZEL_DEBUG=no-fmask \
               ETZEL_DEBUG=one-thread,jit-now,no-fmask; do
  env "$variant" "$demo" --output "$out" >/dev/null || { echo "$variant: the demo failed"; exit 1; }
  sum=$(cat "$out/demo_1x.png" "$out/demo_4x.png" | md5sum)
  [ -n "$first" ] || first=$sum
  [ "$sum" = "$first" ] || { echo "$variant gives other bytes"; exit 1; }
done
