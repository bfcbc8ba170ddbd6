#pragma once
#if !__has_include(<webp/decode.h>)
#error "<webp/decode.h> is missing: run `make setup` (it installs libwebp-dev)"
#endif
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>
