// An image file as a texture: by GdkPixbuf at a size, or by glycin if GLYCIN is defined, which
// decodes all pixels in a process for each image.
#include <gtk/gtk.h>
#ifdef GLYCIN
#include <glycin-gtk4.h>

static GdkTexture *load_texture(const char *path, int width, int height, GError **error) {
    GFile *file = g_file_new_for_path(path);
    GlyLoader *loader = gly_loader_new(file);
    GlyImage *image = gly_loader_load(loader, error);
    GlyFrame *frame = image ? gly_image_next_frame(image, error) : NULL;
    GdkTexture *texture = frame ? gly_gtk_frame_get_texture(frame) : NULL;
    g_clear_object(&frame);
    g_clear_object(&image);
    g_object_unref(loader);
    g_object_unref(file);
    return texture;
}
#else
static GdkTexture *load_texture(const char *path, int width, int height, GError **error) {
    GdkPixbuf *pixbuf = gdk_pixbuf_new_from_file_at_scale(path, width, height, TRUE, error);
    GdkTexture *texture = pixbuf ? gdk_texture_new_for_pixbuf(pixbuf) : NULL;
    g_clear_object(&pixbuf);
    return texture;
}
#endif
