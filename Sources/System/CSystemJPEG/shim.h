#pragma once
#if !__has_include(<jpeglib.h>)
#error "<jpeglib.h> is missing: run `make setup` (it installs libjpeg-dev)"
#endif
#include <stdio.h>
#include <jpeglib.h>
