#pragma once
#if !__has_include(<spng.h>)
#error "<spng.h> is missing: run `make setup` (it installs libspng-dev)"
#endif
#include <spng.h>
