// The peer of the row `start-image`: decodes one file to a size, as programs with GdkPixbuf do, and ends.
//
//   first_image FILE SIDE
#include <gdk-pixbuf/gdk-pixbuf.h>

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: first_image FILE SIDE\n");
        return 1;
    }
    GError *error = NULL;
    const int side = atoi(argv[2]);
    GdkPixbuf *image = gdk_pixbuf_new_from_file_at_scale(argv[1], side, side, TRUE, &error);
    if (!image) {
        fprintf(stderr, "first_image: %s\n", error->message);
        return 1;
    }
    printf("%d %d\n", gdk_pixbuf_get_width(image), gdk_pixbuf_get_height(image));
    g_object_unref(image);
    return 0;
}
