#pragma once
#if !__has_include(<gtk/gtk.h>)
#error "<gtk/gtk.h> is missing: run `make setup` (it installs libgtk-4-dev)"
#endif
/* Only the API of GTK 4.8 is used. Later versions deprecate a part of it. */
#define GDK_VERSION_MIN_REQUIRED GDK_VERSION_4_8
#include <gtk/gtk.h>
#include <glib-unix.h>

/* libdispatch exports these two for Core Foundation's run loop; no header of it declares them. */
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *_Nullable message);

/* Swift has other names for these flags since GLib 2.90, which declares the enumeration as one of flags. */
static const GDBusConnectionFlags kf_gtk_message_bus_client =
    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION;

/* What Swift cannot import: variadic functions. */
static inline gboolean kf_gtk_get_boolean(gpointer _Nonnull object, const char *_Nonnull property)
{
    gboolean value = FALSE;
    g_object_get(object, property, &value, NULL);
    return value;
}

/* The pixels per point of a surface; 0 before GTK 4.12, which has the property. */
static inline double kf_gtk_surface_scale(GdkSurface *_Nonnull surface)
{
    double scale = 0;
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(surface), "scale"))
        g_object_get(surface, "scale", &scale, NULL);
    return scale;
}

static inline void kf_gtk_set_accessible_label(gpointer _Nonnull widget, const char *_Nullable label)
{
    if (label)
        gtk_accessible_update_property(
            GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
    else
        gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL);
}

static inline void kf_gtk_set_accessible_description(
    gpointer _Nonnull widget, const char *_Nullable description)
{
    if (description)
        gtk_accessible_update_property(
            GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
    else
        gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
}

static inline void kf_gtk_set_accessible_key_shortcuts(gpointer _Nonnull widget, const char *_Nonnull keys)
{
    gtk_accessible_update_property(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_KEY_SHORTCUTS, keys, -1);
}

/* Names a widget by another one. */
static inline void kf_gtk_set_labelled_by(gpointer _Nonnull widget, gpointer _Nonnull label)
{
    gtk_accessible_update_relation(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
}

static inline void kf_gtk_set_accessible_state(
    gpointer _Nonnull widget, GtkAccessibleState state, gboolean value)
{
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), state, value, -1);
}
