#pragma once
#if !__has_include(<isa-l/igzip_lib.h>)
#error "<isa-l/igzip_lib.h> is missing: run `make setup` (it installs libisal-dev)"
#endif
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
