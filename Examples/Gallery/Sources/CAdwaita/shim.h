#pragma once
#if !__has_include(<adwaita.h>)
#error "<adwaita.h> is missing: run `make setup` (it installs libadwaita-1-dev)"
#endif
/* GTK's own declarations stay those of one module, whichever of the two a Swift file imports. */
#pragma clang module import CGtk
#include <adwaita.h>
