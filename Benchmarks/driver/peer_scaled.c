// The peers of `zoom-open`: an image file for a window, with the protocol of Worker.swift.
//
//   peer_scaled FILE WIDTH HEIGHT
#include "peer_texture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        const long long wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
        GError *error = NULL;
        GdkTexture *image = load_texture(arguments[1], atoi(arguments[2]), atoi(arguments[3]), &error);
        if (!image) {
            fprintf(stderr, "peer_scaled: %s\n", error->message);
            return 1;
        }
        const long long cpu = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
        if (!strncmp(line, "clocks", 6)) {
            printf("%lld %lld\n", now(CLOCK_MONOTONIC) - wall, cpu);
        } else {
            printf("%lld\n", cpu);
        }
        fflush(stdout);
        g_object_unref(image);
    }
    return 0;
}
