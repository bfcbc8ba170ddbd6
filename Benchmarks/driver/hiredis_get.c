// The peer hiredis of the row redis-get; see worker.py for the protocol.
//
//     hiredis_get PORT WIDTH

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long long cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    redisContext *context = redisConnect("127.0.0.1", atoi(arguments[1]));
    int width = atoi(arguments[2]);
    if (context == NULL || context->err || width < 1) return 1;
    char line[16];
    while (fgets(line, sizeof line, stdin) && strcmp(line, "run\n") == 0) {
        long long start = cpu();
        for (int read = 0; read < 4096; read += width) {
            for (int index = 0; index < width; index++) redisAppendCommand(context, "GET row");
            for (int index = 0; index < width; index++) {
                redisReply *reply = NULL;
                if (redisGetReply(context, (void **)&reply) != REDIS_OK || reply->len != 20000) return 1;
                freeReplyObject(reply);
            }
        }
        printf("%lld\n", cpu() - start);
        fflush(stdout);
    }
    return 0;
}
