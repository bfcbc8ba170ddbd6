#pragma once
#if !__has_include(<xxhash.h>)
#error "<xxhash.h> is missing: run `make setup` (it installs libxxhash-dev)"
#endif
#include <xxhash.h>
