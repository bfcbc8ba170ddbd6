#pragma once
#if !__has_include(<adwaita.h>)
#error "<adwaita.h> is missing: run `make setup` (it installs libadwaita-1-dev)"
#endif
/* Declares the CGtk module as the only owner of GTK's declarations, whichever module a Swift file imports. */
#pragma clang module import CGtk
#include <adwaita.h>
