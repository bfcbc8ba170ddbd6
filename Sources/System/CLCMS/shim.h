#pragma once
#if !__has_include(<lcms2.h>)
#error "<lcms2.h> is missing: run `make setup` (it installs liblcms2-dev)"
#endif
#include <lcms2.h>
