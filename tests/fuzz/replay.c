/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a target once with each file of a directory: replay tests/fuzz/corpus/etag */
#include <dirent.h>

#include "fuzz.h"

static int replay_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    uint8_t *data = malloc(1 << 20);
    size_t size;

    if (!in || !data) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    size = fread(data, 1, 1 << 20, in);
    data = realloc(data, size ? size : 1); /* so that a sanitizer sees a read past the input */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return fclose(in);
}

int main(int argc, char **argv)
{
    DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    char path[4096];
    int count = 0;

    if (!directory) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    while ((entry = readdir(directory))) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
            replay_file(path);
            count++;
        }
    }
    closedir(directory);
    printf("%s: %d inputs\n", argv[1], count);
    return count == 0; /* an empty corpus tests nothing: fail */
}
