#pragma once
#if !__has_include(<adwaita.h>)
#error "<adwaita.h> is missing: run `make setup` (it installs libadwaita-1-dev)"
#endif
/* Declares the CGtk module as the only owner of GTK's declarations, whichever module a Swift file imports. */
#pragma clang module import CGtk
/* Only the API of libadwaita 1.2 is used. Later versions deprecate a part of it. */
#define ADW_VERSION_MIN_REQUIRED ADW_VERSION_1_2
#include <adwaita.h>

/* As in CGtk: Swift has other names for these flags since GLib 2.90. */
static const GApplicationFlags cadwaita_non_unique = G_APPLICATION_NON_UNIQUE;
static const GBindingFlags cadwaita_sync_create = G_BINDING_SYNC_CREATE;
