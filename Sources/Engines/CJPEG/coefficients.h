#pragma once

#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

/// The coefficients of one image, until its last scan is read.
typedef struct {
    struct coefficient_array *arrays;
    void *memory;
    size_t size;
} coefficient_store;

/// Makes libjpeg store the coefficients of the newly created `info` in `store`, which must be zeroed.
///
/// Uses `info->client_data`. The caller frees `store` after destroying `info`.
void kf_keep_coefficients(j_decompress_ptr info, coefficient_store *store);

void kf_free_coefficients(coefficient_store *store);
