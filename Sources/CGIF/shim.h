#pragma once
#if !__has_include(<gif_lib.h>)
#error "<gif_lib.h> is missing: run `make setup` (it installs libgif-dev)"
#endif
#include <gif_lib.h>
