#pragma once
#if !__has_include(<zlib.h>)
#error "<zlib.h> is missing: run `make setup` (it installs zlib1g-dev)"
#endif
#include <zlib.h>
